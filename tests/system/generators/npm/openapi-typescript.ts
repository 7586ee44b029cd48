// Ten calls by openapi-fetch, with the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript-schema";
import { FORM, picture, report } from "./calls";
import { notificationsOf, replyOf, topicOf, topicsOf } from "./shape";

async function main(token: string, url: string): Promise<void> {
  const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
  const listed = topicsOf((await api.GET("/api/v3/topics", { params: { query: { limit: 2 } } })).data);
  const body = { ...FORM, node_id: listed[0].node_id };
  const made = topicOf((await api.POST("/api/v3/topics", { body })).data);
  const path = { topic_id: made.id };
  const params = { path, query: { include: ["state" as const] } };
  const read = await api.GET("/api/v3/topics/{topic_id}", { params });
  const edited = await api.PUT("/api/v3/topics/{topic_id}", {
    params: { path, header: { "If-Match": read.response.headers.get("etag") ?? "" } },
    body: { ...body, title: "Edited" },
  });
  const reply = await api.POST("/api/v3/topics/{topic_id}/replies", {
    params: { path },
    body: { body: "It replies." },
  });
  const liked = await api.POST("/api/v3/likes", { body: { obj_type: "topic", obj_id: listed[1].id } });
  const notifications = notificationsOf((await api.GET("/api/v3/notifications")).data);
  const photo = await api.POST("/api/v3/photos", {
    body: { file: "" },
    bodySerializer: () => {
      const form = new FormData();
      form.append("file", picture());
      return form;
    },
  });
  const missing = await api.GET("/api/v3/topics/{topic_id}", { params: { path: { topic_id: 987654 } } });
  const wrong = await api.GET("/api/v3/topics", { params: { query: { limit: 100, before: "x" } } });
  report({
    listed: listed.length,
    title: topicOf(edited.data).title,
    reply: replyOf(reply.data).body,
    liked: (liked.data?.count ?? 0) > 0,
    mention: notifications.some((one) => one.mention !== null && "title" in one.mention),
    photo: photo.data?.image_url ?? "",
    missing: missing.response.status,
    wrong: wrong.response.status,
  });
}

void main(process.argv[2], process.argv[3]);
