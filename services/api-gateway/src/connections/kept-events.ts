/** An event that the test application received. */
interface KeptEvent {
  readonly idempotencyKey: string;
  /** JSON text. */
  readonly body: string;
}

/** How many users the test application received. */
interface KeptUsers {
  /** Users that were created or changed. */
  readonly users: number;
  readonly created: number;
  readonly updated: number;
}

/** Events and users that the test application received. Abstract class: the port and its DI token in one. */
export abstract class KeptEvents {
  /** Returns the last 1,000 events that the connection delivered, oldest first. */
  abstract of(connection: string): Promise<readonly KeptEvent[]>;
  abstract users(connection: string): Promise<KeptUsers>;
}
