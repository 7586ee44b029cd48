// Ten calls by the client of @hey-api/openapi-ts.
import { client } from "./hey-api/client.gen";
import {
  createReply,
  createTopic,
  like,
  listNotifications,
  listTopics,
  readTopic,
  updateTopic,
  uploadPhoto,
} from "./hey-api/index";
import { FORM, picture, report } from "./calls";
import { notificationsOf, replyOf, topicOf, topicsOf } from "./shape";

async function main(token: string): Promise<void> {
  client.setConfig({ auth: token });
  const listed = topicsOf((await listTopics({ query: { limit: 2 } })).data);
  const body = { ...FORM, node_id: listed[0].node_id };
  const made = topicOf((await createTopic({ body })).data);
  const path = { topic_id: made.id };
  const read = await readTopic({ path, query: { include: ["state"] } });
  const edited = await updateTopic({
    path,
    headers: { "If-Match": read.response?.headers.get("etag") ?? "" },
    body: { ...body, title: "Edited" },
  });
  const reply = await createReply({ path, body: { body: "It replies." } });
  const liked = await like({ body: { obj_type: "topic", obj_id: listed[1].id } });
  const notifications = notificationsOf((await listNotifications()).data);
  const photo = await uploadPhoto({ body: { file: picture() } });
  const missing = await readTopic({ path: { topic_id: 987654 } });
  const wrong = await listTopics({ query: { limit: 100, before: "x" } });
  report({
    listed: listed.length,
    title: topicOf(edited.data).title,
    reply: replyOf(reply.data).body,
    liked: (liked.data?.count ?? 0) > 0,
    mention: notifications.some((one) => one.mention !== null && "title" in one.mention),
    photo: photo.data?.image_url ?? "",
    missing: missing.response?.status ?? 0,
    wrong: wrong.response?.status ?? 0,
  });
}

void main(process.argv[2]);
