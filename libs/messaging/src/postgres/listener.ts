import { Client, type Notification, type PoolConfig } from 'pg';
import { sessionConfig, STATEMENT_TIMEOUT_MS } from './database';
import { limitQueries } from './limit-queries';

const RECONNECT_MS = 1_000;

export interface ListenerOptions {
  readonly config: PoolConfig;
  readonly channels: Readonly<Record<string, (payload: string) => void>>;
  /** Called after each connect: earlier notifications were missed. */
  readonly onConnected: () => void;
}

/** A connection that receives PostgreSQL's notifications, and reconnects when it is lost. */
export class Listener {
  private client: Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: ListenerOptions) {
    void this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const { config, channels, onConnected } = this.options;
    const client = new Client(sessionConfig(config));
    limitQueries(client, STATEMENT_TIMEOUT_MS);
    this.client = client;
    client.on('error', () => undefined);
    client.on('end', () => {
      this.reconnectLater();
    });
    client.on('notification', ({ channel, payload = '' }: Notification) => {
      channels[channel]?.(payload);
    });
    try {
      await client.connect();
      for (const channel of Object.keys(channels)) await client.query(`listen ${channel}`);
      onConnected();
    } catch {
      await client.end().catch(() => undefined);
      this.reconnectLater();
    }
  }

  private reconnectLater(): void {
    clearTimeout(this.retry);
    if (this.isClosed) return;
    this.retry = setTimeout(() => void this.connect(), RECONNECT_MS);
  }
}
