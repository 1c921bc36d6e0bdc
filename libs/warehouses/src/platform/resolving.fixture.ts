import {
  type ConnectionId,
  eventCodec,
  type PipelineId,
  type ProfileFact,
  type ProfileSchema,
} from '@penstock/contracts';
import { parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import type { StoredRow } from './naive-resolution.fixture';
import type { ResolutionRules, Resolver } from './resolver';
import type { WarehouseReader } from './warehouse-reader';
import type {
  IdentityUpdate,
  IdentityWriter,
  WarehouseWriter,
  WriterOptions,
} from './warehouse-writer';
import { OPTIONS as WRITING } from './warehouse-writer.contract';

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

export interface ProfileRow {
  readonly _profile_id: string;
  readonly _created_us: number;
  readonly _identities: number;
  readonly _updated_at: string;
  readonly [column: string]: unknown;
}

export interface EventRow {
  readonly connection_id: string;
  readonly user_id: string | null;
  readonly anonymous_id: string;
  readonly profile_id: string | null;
}

/** What of a writer resolutions are shown with. */
export type ResolvingWriters = Pick<
  WarehouseWriter,
  'beginEvents' | 'beginRemoval' | 'beginResolution' | 'close'
>;

/** A warehouse with what writes into it, and looks behind it. */
export abstract class Resolving<Writers extends ResolvingWriters = ResolvingWriters> {
  private epoch = 0;
  private messages = 0;
  private purges = 0;

  protected constructor(
    readonly writers: Writers,
    readonly identities: IdentityWriter,
  ) {}

  /** The identities by their numbers, by the names of columns on PostgreSQL. */
  abstract rows(): Promise<readonly StoredRow[]>;
  abstract profiles(): Promise<readonly ProfileRow[]>;
  abstract aliases(): Promise<ReadonlyMap<string, string>>;
  abstract events(): Promise<readonly EventRow[]>;
  /** Whatever a resolution may change. */
  abstract contents(): Promise<unknown>;
  abstract setSchemaVersion(version: number): Promise<void>;
  /** What reads from the warehouse until the stage is closed. */
  abstract reader(): Promise<WarehouseReader>;
  /** As before anything was written. */
  abstract empty(): Promise<void>;
  abstract close(): Promise<void>;

  /** What resolves by these rules from now on. */
  resolver(by: ResolutionRules): Promise<Resolver> {
    this.epoch += 1;
    return this.writers.beginResolution({ role: 'resolution', epoch: this.epoch }, by);
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

  /** The facts that were recorded since the last call. */
  async takeFacts(resolver: Resolver): Promise<readonly ProfileFact[]> {
    const facts = await resolver.facts(100_000);
    await resolver.forgetFacts(facts.at(-1)?.number ?? '0');
    return facts.map(({ fact }) => fact);
  }
}
