import type { Admin, Kafka } from 'kafkajs';
import { LogUnavailable } from '../message-log';
import { isRefusal, typesOf } from './kafka-errors';
import { backoffMs, pause } from './pause';

/** Long enough to elect a leader, and for all brokers to learn of a new topic. */
const ASK_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/** Sends administrative requests and retries them: a client that has lost its connection is replaced by a new one. */
export class AdminClient {
  private present: Promise<Admin> | undefined;
  private isClosed = false;

  constructor(private readonly kafka: Kafka) {}

  /**
   * @throws LogUnavailable when the brokers cannot be reached.
   * @throws KafkaJSError when the brokers refuse the request and a retry would not help.
   */
  async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    const deadline = performance.now() + ASK_TIMEOUT_MS;
    for (let attempt = 1; ; attempt += 1) {
      const client = (this.present ??= this.connected());
      try {
        return await question(await client);
      } catch (cause) {
        if (isRefusal(cause)) throw cause;
        if (typesOf(cause).length === 0) await this.drop(client);
        if (performance.now() > deadline || this.isClosed)
          throw new LogUnavailable('Kafka does not answer', { cause });
        await pause(backoffMs(attempt, FIRST_RETRY_MS, LAST_RETRY_MS));
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.present) await this.drop(this.present);
  }

  private async connected(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }

  private async drop(client: Promise<Admin>): Promise<void> {
    if (this.present === client) this.present = undefined;
    await client.then((admin) => admin.disconnect()).catch(() => undefined);
  }
}
