/** Collects the types of an error and its causes: kafkajs nests errors, and the outermost is the least specific. */
export const typesOf = (error: unknown): readonly string[] => {
  const types: string[] = [];
  for (let at: unknown = error; at instanceof Error && types.length < 10; at = at.cause) {
    if ('type' in at && typeof at.type === 'string') types.push(at.type);
    if ('errors' in at && Array.isArray(at.errors)) types.push(...at.errors.flatMap(typesOf));
  }
  return types;
};

/** Answers to requests that will never succeed unchanged. Source: Kafka's protocol error codes. */
const REFUSALS = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_PARTITIONS',
  'INVALID_REPLICATION_FACTOR',
  'INVALID_CONFIG',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
  'POLICY_VIOLATION',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'UNSUPPORTED_VERSION',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/** Whether a retry would not help. */
export const isRefusal = (error: unknown): boolean =>
  typesOf(error).some((type) => REFUSALS.has(type));

/** Whether the brokers do not know the topic: it does not exist, or not yet on every broker. */
export const isUnknownTopic = (error: unknown): boolean =>
  typesOf(error).includes('UNKNOWN_TOPIC_OR_PARTITION');
