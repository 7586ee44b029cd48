// Where the results stand in the answers of the keyed shape.
const made = <T>(result: T | null | undefined): T => {
  if (result === null || result === undefined) throw new Error("nothing was made");
  return result;
};

export const topicsOf = <T>(answer: { topics: T[] } | undefined): T[] => answer?.topics ?? [];
export const notificationsOf = <T>(answer: { notifications: T[] } | undefined): T[] => answer?.notifications ?? [];
export const topicOf = <T>(answer: { topic: T | null } | undefined): T => made(answer?.topic);
export const replyOf = <T>(answer: { reply: T | null } | undefined): T => made(answer?.reply);
