// Ten calls by the client of orval (fetch).
import {
  createReply,
  createTopic,
  like,
  listNotifications,
  listTopics,
  readTopic,
  updateTopic,
  uploadPhoto,
} from "./orval-client";
import { FORM, picture, report } from "./calls";
import { notificationsOf, replyOf, topicOf, topicsOf } from "./shape";

type Success<T> = Extract<T, { status: 200 | 201 }> extends { data: infer D } ? D : never;

function dataOf<T extends { status: number; data: unknown }>(answer: T): Success<T> {
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.data));
  return answer.data as Success<T>;
}

async function main(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const listed = topicsOf(dataOf(await listTopics({ limit: 2 }, { headers })));
  const form = { ...FORM, node_id: listed[0].node_id };
  const made = topicOf(dataOf(await createTopic(form, { headers })));
  const read = await readTopic(made.id, { include: ["state"] }, { headers });
  const edited = await updateTopic(made.id, { ...form, title: "Edited" }, {
    headers: { ...headers, "If-Match": read.headers.get("etag") ?? "" },
  });
  const reply = await createReply(made.id, { body: "It replies." }, { headers });
  const liked = await like({ obj_type: "topic", obj_id: listed[1].id }, { headers });
  const notifications = notificationsOf(dataOf(await listNotifications({}, { headers })));
  const photo = await uploadPhoto({ file: picture() }, { headers });
  report({
    listed: listed.length,
    title: topicOf(dataOf(edited)).title,
    reply: replyOf(dataOf(reply)).body,
    liked: dataOf(liked).count > 0,
    mention: notifications.some((one) => one.mention !== null && "title" in one.mention),
    photo: dataOf(photo).image_url,
    missing: (await readTopic(987654, {}, { headers })).status,
    wrong: (await listTopics({ limit: 100, before: "x" }, { headers })).status,
  });
}

void main(process.argv[2]);
