import type { Admin, Kafka } from 'kafkajs';
import { LogUnavailable } from '../message-log';
import { isRefusal } from './kafka-errors';

const ATTEMPTS = 3;

/** Asks the brokers; a client that has failed is thrown away, and the question asked again with a new one. */
export class AdminClient {
  private present: Promise<Admin> | undefined;

  constructor(private readonly kafka: Kafka) {}

  /**
   * @throws LogUnavailable when the brokers cannot be reached.
   * @throws KafkaJSError   as the brokers refuse the request, when asking again would not help.
   */
  async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const client = (this.present ??= this.connected());
      try {
        return await question(await client);
      } catch (cause) {
        if (isRefusal(cause)) throw cause;
        await this.drop(client);
        if (attempt === ATTEMPTS) throw new LogUnavailable('Kafka does not answer', { cause });
      }
    }
  }

  async close(): Promise<void> {
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
