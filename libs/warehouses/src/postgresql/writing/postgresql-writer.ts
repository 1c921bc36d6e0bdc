import type { PipelineId, ProfileSchema } from '@penstock/contracts';
import { type Client, escapeLiteral, type QueryResult } from 'pg';
import type { Eraser, Erasure } from '../../platform/eraser';
import type { EventWriter } from '../../platform/event-writer';
import type { Remover } from '../../platform/remover';
import type { MatchWriter } from '../../platform/match-writer';
import type { ResolutionRules, Resolver } from '../../platform/resolver';
import { WarehouseFault } from '../../platform/warehouse';
import type {
  IdentityWriter,
  WarehouseWriter,
  Writer,
  WriterOptions,
} from '../../platform/warehouse-writer';
import { profileColumns } from '../columns/profile-columns';
import { LeftOut } from '../erasing/left-out';
import { PostgresqlEraser } from '../erasing/postgresql-eraser';
import { LOCK } from '../layout/lock';
import { isBehind, repair } from '../layout/marker';
import { dropLeftOvers } from '../layout/stages';
import { PostgresqlClearer } from '../removing/postgresql-clearer';
import { PostgresqlRemover } from '../removing/postgresql-remover';
import { selectPipelines } from '../removing/remove-pieces';
import { PostgresqlResolver } from '../resolving/postgresql-resolver';
import { rulesOf } from '../resolving/rules';
import { qualified } from '../sql/names';
import { type Guarded, markerGuard } from '../layout/guard';
import { PostgresqlEventWriter } from './postgresql-event-writer';
import { PostgresqlIdentityWriter } from './postgresql-identity-writer';
import { PostgresqlMatchWriter } from './postgresql-match-writer';
import type { Sessions, SessionsUse } from '../sessions/sessions';
import { BEGIN, transaction } from '../sql/transaction';

/** Writers use few connections: a batch is merged while another one is being staged. */
export const WRITING: SessionsUse = {
  max: 2,
  // Source: the specification of the warehouse, "Writing": statement time-out of writers.
  statementTimeoutMs: 300_000,
  connectTimeoutMs: 30_000,
};

/** A writer that began so long ago does not wake up any more. */
const FENCE_KEPT = '30 days';

type Results = readonly QueryResult<Record<string, unknown>>[];

/** A role that was taken over by the server: when, in seconds since 1970, and its `server_version_num`. */
interface TakenOver {
  readonly seconds: number;
  readonly version: number;
}

/** @throws WarehouseFault fenced */
const takenOver = (results: Results): TakenOver => {
  const [row] = (results.at(-1)?.rows ?? []) as unknown as TakenOver[];
  if (row === undefined)
    throw new WarehouseFault('fenced', 'another writer has taken the role over');
  return row;
};

/** What a writer knows of the server. */
interface Server {
  /** Seconds by which its clock is ahead. */
  readonly aheadSeconds: number;
  /** Its `server_version_num`. */
  readonly version: number;
}

/** Writes into the warehouse of one workspace. */
export class PostgresqlWriter implements WarehouseWriter {
  private readonly guarded: Guarded & { readonly profiles: ProfileSchema };
  private readonly leftOut: LeftOut;

  constructor(
    private readonly sessions: Sessions,
    private readonly schema: string,
    private readonly options: WriterOptions,
  ) {
    const { workspace, profiles, keyedHash } = options;
    this.guarded = { schema, workspace, profiles };
    this.leftOut = new LeftOut(schema, keyedHash);
  }

  async begin(writer: Writer): Promise<IdentityWriter> {
    const server = await this.take(writer);
    const columns = profileColumns(this.guarded.profiles.schema);
    const place = { ...this.guarded, ...server, columns, leftOut: this.leftOut };
    return new PostgresqlIdentityWriter(this.sessions, place, writer);
  }

  async beginEvents(writer: Writer): Promise<EventWriter> {
    const { schema, workspace } = this.guarded;
    const server = await this.take(writer);
    const place = { schema, workspace, ...server, leftOut: this.leftOut };
    return new PostgresqlEventWriter(this.sessions, place, writer);
  }

  async beginResolution(writer: Writer, rules: ResolutionRules): Promise<Resolver> {
    const known = rulesOf(this.guarded.profiles, rules);
    const { aheadSeconds } = await this.take(writer);
    const place = { ...this.guarded, rules: known, aheadSeconds };
    return new PostgresqlResolver(this.sessions, place, writer);
  }

  async beginErasure(writer: Writer, erasure: Erasure): Promise<Eraser> {
    const { aheadSeconds } = await this.take(writer);
    const place = { ...this.guarded, keyedHash: this.options.keyedHash, aheadSeconds };
    return new PostgresqlEraser(this.sessions, place, writer, erasure);
  }

  async beginRemoval(
    writer: Writer,
    pipeline: PipelineId,
    lost?: readonly string[],
  ): Promise<Remover> {
    await this.take(writer);
    const { schema, workspace, profiles } = this.guarded;
    if (lost === undefined)
      return new PostgresqlRemover(this.sessions, { schema, workspace }, writer, pipeline);
    const columns = profileColumns(profiles.schema).filter(({ path }) =>
      lost.includes(path.join('.')),
    );
    const clearing = { pipeline, columns: columns.map(({ name }) => name) };
    return new PostgresqlClearer(this.sessions, this.guarded, writer, clearing);
  }

  pipelines(limit: number): Promise<readonly PipelineId[]> {
    const statements = [markerGuard(this.guarded), selectPipelines(this.schema, limit)];
    return this.sessions.use(async (client) => {
      const results = await transaction(client, statements);
      return ((results.at(-1)?.rows ?? []) as { pipeline: PipelineId }[]).map(
        ({ pipeline }) => pipeline,
      );
    });
  }

  async beginMatches(writer: Writer, owner: string): Promise<MatchWriter> {
    const { schema, workspace } = this.guarded;
    await this.take(writer);
    return new PostgresqlMatchWriter(this.sessions, { schema, workspace }, writer, owner);
  }

  dropLeftOvers(): Promise<readonly string[]> {
    const { workspace, profiles } = this.guarded;
    return this.sessions.use(async (client) => {
      await isBehind(client, this.schema, workspace, profiles);
      return dropLeftOvers(client, this.schema);
    });
  }

  close(): Promise<void> {
    return this.sessions.close();
  }

  private async take(writer: Writer): Promise<Server> {
    if (!Number.isSafeInteger(writer.epoch) || writer.epoch < 1)
      throw new RangeError(`epoch ${writer.epoch}`);
    const { workspace, profiles } = this.guarded;
    return this.sessions.use(async (client) => {
      const isOlder = await isBehind(client, this.schema, workspace, profiles);
      const statements = this.takingOver(writer);
      const results = await (isOlder
        ? this.bringUp(client, statements)
        : transaction(client, statements));
      const { seconds, version } = takenOver(results);
      return { aheadSeconds: seconds - Date.now() / 1_000, version };
    });
  }

  /** Brings an older layout up, once, however many writers begin, unless the writer may not take its role over. */
  private async bringUp(client: Client, takingOver: readonly string[]): Promise<Results> {
    const { workspace, profiles } = this.guarded;
    await client.query(BEGIN);
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [this.schema]);
    await repair(client, this.schema, workspace, profiles);
    const results = (await client.query(takingOver.join(';\n'))) as unknown as Results;
    takenOver(results);
    await client.query('COMMIT');
    return results;
  }

  private takingOver({ role, epoch }: Writer): readonly string[] {
    const fences = qualified(this.schema, '_fences');
    return [
      markerGuard(this.guarded),
      `DELETE FROM ${fences} WHERE begun_at < now() - interval '${FENCE_KEPT}'
         AND role <> ${escapeLiteral(role)}`,
      `INSERT INTO ${fences} AS fence (role, epoch) VALUES (${escapeLiteral(role)}, ${epoch})
       ON CONFLICT (role) DO UPDATE SET epoch = excluded.epoch, begun_at = now()
       WHERE fence.epoch <= excluded.epoch
       RETURNING extract(epoch FROM clock_timestamp())::float8 AS seconds,
         current_setting('server_version_num')::int AS version`,
    ];
  }
}
