import { createRequire } from 'node:module';
import type { Kafka, KafkaMessage } from 'kafkajs';

/**
 * Internals of kafkajs (2.2.4): connections to single brokers, and the decoder of record batches. kafkajs offers
 * fetching only through consumers, which manage positions by groups; own fetches need these parts only.
 */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  /** Loads the metadata of further topics. */
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[];
  /** Returns a connected broker. */
  findBroker(options: { readonly nodeId: string }): Promise<Broker>;
}

interface PartitionMetadata {
  readonly partitionId: number;
  /** A node id; negative: no leader at present. */
  readonly leader: number;
}

export interface Broker {
  readonly connectionPool: ConnectionPool;
  /** Chooses the newest version of a request that both sides support. */
  readonly lookupRequest: (
    apiKey: number,
    definition: unknown,
  ) => (parameters: unknown) => ProtocolRequest;
  /** @throws KafkaJSProtocolError when a partition cannot be answered. */
  listOffsets(request: OffsetsRequest): Promise<OffsetsAnswer>;
}

interface ConnectionPool {
  /** The second connection is for fetches only. */
  readonly pool: readonly [Connection, Connection];
  getConnection(index: number): Promise<Connection>;
  send(request: ProtocolRequest & { readonly logResponseError: boolean }): Promise<unknown>;
}

interface Connection {
  isConnected(): boolean;
}

interface ProtocolRequest {
  readonly request: { readonly apiVersion: number };
  readonly response: {
    decode(raw: Buffer): Promise<unknown>;
    parse(decoded: unknown): Promise<unknown>;
  };
}

interface OffsetsRequest {
  readonly isolationLevel: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly timestamp: number }[];
  }[];
}

interface OffsetsAnswer {
  readonly responses: readonly { readonly partitions: readonly { readonly offset: string }[] }[];
}

/** Reads values from a buffer, front to back. */
export interface Decoder {
  /** Number of bytes read so far. */
  readonly offset: number;
  readInt32(): number;
  readInt16(): number;
  readInt64(): bigint;
  readString(): string | null;
  readArray<T>(read: (decoder: Decoder) => T): T[];
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
}

export interface RecordBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly BatchRecord[];
}

export interface BatchRecord extends Pick<KafkaMessage, 'key' | 'value' | 'offset' | 'timestamp'> {
  /** Whether it is a transaction marker rather than a message. */
  readonly isControlRecord: boolean;
}

export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

const load = createRequire(__filename);
const part = (path: string): unknown => load(`kafkajs/src/${path}`);

export const newDecoder = (buffer: Buffer): Decoder => {
  const Constructor = part('protocol/decoder') as new (from: Buffer) => Decoder;
  return new Constructor(buffer);
};

/** @throws KafkaJSPartialMessageError when the batch is incomplete. */
export const decodeRecordBatch = part('protocol/recordBatch/v0/decoder') as (
  decoder: Decoder,
) => Promise<RecordBatch>;

/** Leaves out the records of aborted transactions. */
export const withoutAborted = part('consumer/filterAbortedMessages') as (batch: {
  readonly messages: readonly BatchRecord[];
  readonly abortedTransactions: readonly AbortedTransaction[];
}) => readonly BatchRecord[];

const errors = part('protocol/error') as {
  readonly createErrorFromCode: (code: number) => Error;
  readonly errorCodes: readonly { readonly type: string; readonly message: string }[];
};

/** Creates an error whose `type` is the name of the broker's error code. */
export const protocolError = errors.createErrorFromCode;

/** Returns the message of the errors of a type. @throws TypeError when kafkajs knows no such type. */
export const textOfErrorType = (type: string): string => {
  const found = errors.errorCodes.find((each) => each.type === type);
  if (!found) throw new TypeError(`this kafkajs does not know ${type}`);
  return found.message;
};

interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Milliseconds since 1970; negative when the broker has never throttled. */
  readonly throttledUntil: number;
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs sets a timer after every response, with a negative time when the broker does not throttle: newer versions of
 * Node print a warning about it. Without pending requests there is nothing to check.
 */
const setNoIdleTimers = ({ prototype }: { readonly prototype: RequestQueue }): void => {
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
};
setNoIdleTimers(part('network/requestQueue') as { readonly prototype: RequestQueue });

export const FETCH_API_KEY = 1;

/** The request in all of its versions. */
export const fetchDefinition = (part('protocol/requests') as { requests: { Fetch: unknown } })
  .requests.Fetch;

/** Isolation level: only committed records of transactions are returned. */
export const READ_COMMITTED = 1;

const METADATA_MAX_AGE_MS = 300_000;

/** Creates a cluster through a private symbol of kafkajs. */
export const newCluster = (kafka: Kafka): Cluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create = symbol && (kafka as unknown as Record<symbol, unknown>)[symbol];
  if (typeof create !== 'function')
    throw new TypeError('this kafkajs makes its clusters elsewhere');
  return (create as (options: object) => Cluster)({
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    isolationLevel: READ_COMMITTED,
  });
};
