/** Events that the test application received. Abstract class: the port and its DI token in one. */
export abstract class KeptEvents {
  /** Returns the JSON texts of the last 1,000 events that the connection delivered, oldest first. */
  abstract of(connection: string): Promise<readonly string[]>;
}
