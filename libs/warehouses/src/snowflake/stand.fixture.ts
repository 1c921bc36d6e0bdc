import { SnowflakeSession, type SnowflakeTarget, snowflakeTargetOf } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import type { Json } from '@penstock/schema';

const lasting = (): AbortSignal => AbortSignal.timeout(2_147_483_647);

/** Reaches servers of this machine. */
export const LOCAL_SOCKETS = createGuardedSockets(['127.0.0.0/8']);

/** Milliseconds: packages of Python may have to be installed first. */
export const INSTALL_TIMEOUT_MS = 700_000;

type Cells = readonly (string | null)[];

/** A stand-in of Snowflake of its own, with a session of its owner. */
export class SnowflakeStand {
  static async open(): Promise<SnowflakeStand> {
    const server = await startSnowflake();
    try {
      return new SnowflakeStand(server, await sessionOf(server));
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  private constructor(
    readonly server: LocalSnowflake,
    private readonly owner: SnowflakeSession,
  ) {}

  /** For as long as the stand. */
  readonly signal = lasting();

  get target(): SnowflakeTarget {
    return targetOf(this.server);
  }

  /** A session for as long as the stand. */
  session(): Promise<SnowflakeSession> {
    return sessionOf(this.server);
  }

  async run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.owner.rows(statement);
  }

  rows(statement: string, binds: Cells = []): Promise<readonly Cells[]> {
    return this.owner.rows(statement, binds);
  }

  async close(): Promise<void> {
    await this.owner.close();
    await this.server.stop();
  }
}

const targetOf = (server: LocalSnowflake): SnowflakeTarget =>
  snowflakeTargetOf(settingsOf(server), () => urlOf(server));

const urlOf = ({ port }: LocalSnowflake): string => `http://127.0.0.1:${String(port)}`;

const settingsOf = ({ username, password, role, database, schema, warehouse }: LocalSnowflake) =>
  new Map<string, Json>(
    Object.entries({
      ...{ account: 'acme-eu', username, password, role, database, schema, warehouse },
    }),
  );

const sessionOf = (server: LocalSnowflake): Promise<SnowflakeSession> =>
  SnowflakeSession.open(targetOf(server), { sockets: LOCAL_SOCKETS, signal: lasting() });
