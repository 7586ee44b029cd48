// Ten calls by the client of OpenAPI Generator (typescript-fetch).
import {
  Configuration,
  LikesApi,
  NotificationsApi,
  PhotosApi,
  RepliesApi,
  ResponseError,
  TopicsApi,
} from "./typescript-fetch/index";
import { FORM, picture, report } from "./calls";
import { notificationsOf, replyOf, topicOf, topicsOf } from "./shape";

async function main(token: string): Promise<void> {
  // For OAuth the generator sends the token without the word before it.
  const given = new Configuration({ accessToken: `Bearer ${token}` });
  const topics = new TopicsApi(given);
  const replies = new RepliesApi(given);
  const status = (error: unknown): number => (error instanceof ResponseError ? error.response.status : 0);
  const listed = topicsOf(await topics.listTopics({ limit: 2 }));
  const topicForm = { ...FORM, nodeId: listed[0].nodeId };
  const made = topicOf(await topics.createTopic({ topicForm }));
  const read = await topics.readTopicRaw({ topicId: made.id, include: ["state"] });
  const edited = await topics.updateTopic({
    topicId: made.id,
    ifMatch: read.raw.headers.get("etag") ?? "",
    topicForm: { ...topicForm, title: "Edited" },
  });
  const reply = await replies.createReply({ topicId: made.id, replyForm: { body: "It replies." } });
  const liked = await new LikesApi(given).like({ likeForm: { objType: "topic", objId: listed[1].id } });
  const notifications = notificationsOf(await new NotificationsApi(given).listNotifications());
  const photo = await new PhotosApi(given).uploadPhoto({ file: picture() });
  report({
    listed: listed.length,
    title: topicOf(edited).title,
    reply: replyOf(reply).body,
    liked: liked.count > 0,
    mention: notifications.some((one) => one.mention !== null && "title" in one.mention),
    photo: photo.imageUrl,
    missing: await topics.readTopic({ topicId: 987654 }).then(() => 0, status),
    wrong: await topics.listTopics({ limit: 100, before: "x" }).then(() => 0, status),
  });
}

void main(process.argv[2]);
