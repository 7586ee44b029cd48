// Where the results stand in the answers of the bare shape.
type Made<T> = Exclude<T, { held: unknown } | undefined>;

const made = <T>(answer: T): Made<T> => {
  if (typeof answer !== "object" || answer === null || "held" in answer) throw new Error("nothing was made");
  return answer as Made<T>;
};

export const topicsOf = <T>(answer: T[] | undefined): T[] => answer ?? [];
export const notificationsOf = <T>(answer: T[] | undefined): T[] => answer ?? [];
export const topicOf = made;
export const replyOf = made;
