/** How often new topics are stored; what is absent follows from the number of brokers. */
export interface Replication {
  /** Replicas of each partition. Default 3, or as many as there are brokers. */
  readonly factor?: number;
  /** Replicas that must have a message before it is acknowledged. Default 2 of three or more replicas, else 1. */
  readonly minInSync?: number;
}

const DEFAULT_FACTOR = 3;

/**
 * Three replicas where there are three brokers, two of which must store a message before it is acknowledged: the loss
 * of any one broker then neither loses messages nor stops the log.
 */
export const replicationFor = (
  { factor = DEFAULT_FACTOR, minInSync }: Replication,
  brokers: number,
): { readonly factor: number; readonly minInSync: number } => {
  const replicas = Math.min(factor, brokers);
  return { factor: replicas, minInSync: minInSync ?? (replicas >= DEFAULT_FACTOR ? 2 : 1) };
};

/** What is wrong with the settings for this number of brokers; undefined when topics can be made and written to. */
export const replicationFault = (wanted: Replication, brokers: number): string | undefined => {
  const found = `Kafka has ${brokers} ${brokers === 1 ? 'broker' : 'brokers'}`;
  if (wanted.factor !== undefined && wanted.factor > brokers)
    return `KAFKA_REPLICATION_FACTOR is ${wanted.factor}, and ${found}: a topic cannot have more replicas`;
  const { factor, minInSync } = replicationFor(wanted, brokers);
  return minInSync > factor
    ? `KAFKA_MIN_INSYNC_REPLICAS is ${minInSync}, and ${found}: topics of ${factor} ${factor === 1 ? 'replica' : 'replicas'} could not be written to`
    : undefined;
};
