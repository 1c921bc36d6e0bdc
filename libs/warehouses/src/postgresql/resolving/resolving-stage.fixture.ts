import {
  type ConnectionId,
  eventCodec,
  type PipelineId,
  type ProfileFact,
  type ProfileSchema,
} from '@penstock/contracts';
import { parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import type { ResolutionRules, Resolver } from '../../platform/resolver';
import type {
  IdentityUpdate,
  IdentityWriter,
  WarehouseWriter,
  WriterOptions,
} from '../../platform/warehouse-writer';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE, OPTIONS as WRITING } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';
import type { StoredRow } from './naive-resolution.fixture';

/** A signal that never fires. */
export const NEVER = new AbortController().signal;

const property = (name: string, type: object) => ({ name, type, readOptional: true });

/** Identifiers of several kinds, one of them in an object, and an array. */
export const PROFILES: ProfileSchema = {
  version: 1,
  schema: parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [
          property('email', { kind: 'string' }),
          property('phone', { kind: 'string' }),
          property('first_name', { kind: 'string' }),
          property('tags', { kind: 'array', elementType: { kind: 'string' } }),
          property('contact', {
            kind: 'object',
            properties: [property('code', { kind: 'int', bitSize: 64 })],
          }),
          property('address', { kind: 'ip' }),
        ],
      }),
    ),
  ),
};

/** Of who writes by them. */
export const OPTIONS: WriterOptions = { ...WRITING, profiles: PROFILES };

export const COLUMNS = ['email', 'phone', 'first_name', 'tags', 'contact_code', 'address'];

/** Rules with these identifiers. */
export const rules = (
  identifiers: readonly string[],
  more: Partial<ResolutionRules> = {},
): ResolutionRules => ({
  ...{ identifiers, blockedValues: new Map(), primarySources: new Map() },
  ...more,
});

/** Resolves whatever is changed, also since it has begun. @returns how many batches that took */
export const resolveAll = async (resolver: Resolver, limit = 50_000): Promise<number> => {
  for (let batches = 1; ; batches += 1)
    if ((await resolver.resolve(limit, NEVER)).isLast && (await resolver.pending()) === 0)
      return batches;
};

interface ProfileRow {
  readonly _profile_id: string;
  readonly _created_us: number;
  readonly _identities: number;
  readonly _updated_at: string;
  readonly [column: string]: unknown;
}

interface EventRow {
  readonly connection_id: string;
  readonly user_id: string | null;
  readonly anonymous_id: string;
  readonly profile_id: string | null;
}

/** A warehouse with what writes into it, and looks behind it. */
export class ResolvingStage {
  static async open(server?: string): Promise<ResolvingStage> {
    const written = await writtenStage(MINE, server);
    await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
    const writers = await written.stage.writer(written.loader, OPTIONS, NEVER);
    const identities = await writers.begin({ role: 'run run1', epoch: 1 });
    return new ResolvingStage(written, writers, identities);
  }

  private epoch = 0;
  private readonly end = new AbortController();
  private messages = 0;
  private purges = 0;

  private constructor(
    readonly written: WrittenStage,
    readonly writers: WarehouseWriter,
    readonly identities: IdentityWriter,
  ) {}

  /** What resolves by these rules from now on. */
  resolver(by: ResolutionRules): Promise<Resolver> {
    this.epoch += 1;
    return this.writers.beginResolution({ role: 'resolution', epoch: this.epoch }, by);
  }

  /** What reads from the warehouse until the stage is closed. */
  reader(): Promise<WarehouseReader> {
    const options = { workspace: MINE, epoch: 1, connections: 1 };
    return this.written.stage.reader(this.written.loader, options, this.end.signal);
  }

  /** Writes updates of a pipeline; the second pipeline of a connection ends with `b`. */
  async write(connection: string, updates: readonly IdentityUpdate[], pipeline = 'a') {
    await this.identities.write({
      connection: connection as ConnectionId,
      pipeline: `${connection}${pipeline}` as PipelineId,
      updates,
    });
  }

  /** Purges a known identity. */
  async purge(connection: string, recordId: string, pipeline = 'a'): Promise<void> {
    const of = `${connection}${pipeline}` as PipelineId;
    const known = (await this.rows()).filter((row) => row._pipeline === of && !row._anonymous);
    const kept = known.map((row) => row._record_id).filter((id) => id !== recordId);
    this.purges += 1;
    const run = `purge${this.purges}`;
    await this.identities.write({
      ...{ connection: connection as ConnectionId, pipeline: of, updates: [] },
      run: {
        ...{ id: run, batch: 0 },
        settled: new Map([...kept, 'nobody'].map((id) => [id, 'Merged'])),
      },
    });
    await this.identities.purge(of, run);
  }

  /** Writes an event. */
  async event(connectionId: string, anonymousId: string, userId?: string): Promise<void> {
    const events = await this.writers.beginEvents({ role: 'events', epoch: 1 });
    await events.write([this.eventOf(connectionId, anonymousId, userId)]);
  }

  /** An event with a message id of its own. */
  eventOf(connectionId: string, anonymousId: string, userId?: string): RecordValue {
    const time = '2026-03-01T09:30:00.123Z';
    this.messages += 1;
    return eventCodec.parse(
      JSON.stringify({
        ...{ connectionId, anonymousId, messageId: `m${this.messages}`, type: 'track', event: 'e' },
        ...{ receivedAt: time, sentAt: time, originalTimestamp: time, timestamp: time },
        ...{ properties: {}, traits: {}, ...(userId !== undefined && { userId }) },
      }),
    );
  }

  async rows(): Promise<readonly StoredRow[]> {
    const rows = await this.written.stage.rows(
      `SELECT to_jsonb(i) AS row FROM ${SCHEMA}._identities AS i ORDER BY _id`,
    );
    return (rows as { row: StoredRow }[]).map(({ row }) => row);
  }

  async profiles(): Promise<readonly ProfileRow[]> {
    const rows = await this.written.stage.rows(
      `SELECT to_jsonb(p) || jsonb_build_object('_created_us', extract(epoch FROM _created_at) * 1000000) AS row
       FROM ${SCHEMA}._profiles AS p`,
    );
    return (rows as { row: ProfileRow }[]).map(({ row }) => row);
  }

  async aliases(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.written.stage.rows(
      `SELECT alias, profile_id FROM ${SCHEMA}._profile_aliases`,
    );
    const pairs = rows as { alias: string; profile_id: string }[];
    return new Map(pairs.map(({ alias, profile_id }) => [alias, profile_id]));
  }

  async events(): Promise<readonly EventRow[]> {
    return (await this.written.stage.rows(
      `SELECT connection_id, user_id, anonymous_id, profile_id FROM ${SCHEMA}._events`,
    )) as EventRow[];
  }

  /** The facts that were recorded since the last call. */
  async takeFacts(resolver: Resolver): Promise<readonly ProfileFact[]> {
    const facts = await resolver.facts(100_000);
    await resolver.forgetFacts(facts.at(-1)?.number ?? '0');
    return facts.map(({ fact }) => fact);
  }

  /** As before anything was written. */
  async empty(): Promise<void> {
    const tables = ['identities', 'profiles', 'identity_keys', 'profile_aliases', 'dirty'];
    const erasure = ['erased', 'erased_profiles', 'erasures', 'erasing', 'profile_history'];
    const all = [...tables, ...erasure, 'moving', 'outbox', 'events', 'seen'].map(
      (name) => `${SCHEMA}._${name}`,
    );
    await this.written.stage.run(`TRUNCATE ${all.join(', ')}`);
  }

  async close(): Promise<void> {
    this.end.abort();
    await this.writers.close();
    await this.written.close();
  }
}
