import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { ErasedPiece, Eraser } from './eraser';
import { eventOf } from './event-writer.contract';
import type { ShownIdentity } from './memory-writer.fixture';
import type { IdentityUpdate, IdentityWriter, WarehouseWriter } from './warehouse-writer';
import { NEVER } from './resolving.fixture';
import { OPTIONS } from './warehouse-writer.contract';

/** Takes a person out, and erases all of the events. */
export const eraseAll = async (eraser: Eraser): Promise<ErasedPiece> => {
  if (!(await eraser.take(NEVER))) throw new Error('the profile has too many identities');
  for (;;) {
    const piece = await eraser.eraseEvents(NEVER);
    if (piece.isLast) return piece;
  }
};

/** A warehouse of {@link OPTIONS}, for the specs of a file. Names without quotes are the same on every platform. */
export interface Erasing {
  open(options: typeof OPTIONS): Promise<WarehouseWriter>;
  identities(): Promise<readonly ShownIdentity[]>;
  /** The names of staging tables. */
  stages(): Promise<readonly string[]>;
  run(statement: string): Promise<unknown>;
  /** The cells of a statement whose columns have names of their own, all of them texts. */
  cells(statement: string): Promise<readonly (readonly (string | null)[])[]>;
  /** A table as SQL, by its name in small letters. */
  table(name: string): string;
  /** A column as SQL, by its name in small letters. */
  column(name: string): string;
  /** SQL of a JSON value. */
  json(text: string): string;
  /** SQL of what the keys of a record id of a connection are. */
  keyOfRecord(connection: string, recordId: string): string;
  /** SQL of a table of the numbers from 0 to before another, as `n`. */
  numbers(count: number): string;
  /** Does work whose statements on a table fail. */
  whileFailing(table: string, work: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** The columns of tables that the specs look at. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  _identities: ['_id', '_record_id', '_profile_id'],
  _identity_keys: ['kind', 'key', 'mask', 'identity'],
  _profiles: ['_profile_id'],
  _profile_aliases: ['alias', 'profile_id'],
  _dirty: ['identity', 'change', 'profile_id'],
  _moving: ['connection', 'record_id'],
  _outbox: ['id', 'fact'],
  _events: ['message_id', 'profile_id'],
  _profile_history: ['profile_id', 'id'],
  _erased: ['hash'],
  _erased_profiles: ['profile_id', 'erasure'],
  _erasures: ['erasure', 'profiles', 'identities', 'history', 'events'],
  _erasing: ['place', 'record_id'],
};

/** A person as a resolution leaves it. */
export interface PutPerson {
  readonly profile: string;
  /** SQL of a condition on the identities of the person. */
  readonly where: string;
  /** Anonymous ids that known identities of a connection own. */
  readonly owns?: readonly {
    readonly connection: string;
    readonly recordId: string;
    readonly anonymousId: string;
  }[];
  /** Ids that the profile has absorbed, each with a fact in its history. */
  readonly absorbed?: readonly string[];
}

/** A warehouse with what writes into it, and looks behind it. */
export class ErasingStage {
  static async open(erasing: Erasing): Promise<ErasingStage> {
    const writers = await erasing.open(OPTIONS);
    const identities = await writers.begin({ role: 'run run1', epoch: 1 });
    return new ErasingStage(erasing, writers, identities);
  }

  private epoch = 0;
  private messages = 0;

  private constructor(
    readonly erasing: Erasing,
    readonly writers: WarehouseWriter,
    readonly identities: IdentityWriter,
  ) {}

  /** Whoever takes an erasure up, as after a crash of the one before. */
  eraser(id: string, profile: string): Promise<Eraser> {
    this.epoch += 1;
    return this.writers.beginErasure({ role: 'erasure', epoch: this.epoch }, { id, profile });
  }

  /** Writes updates of a pipeline of a connection. */
  async write(connection: string, updates: readonly IdentityUpdate[], pipeline = 'a') {
    await this.identities.write({
      connection: connection as ConnectionId,
      pipeline: `${connection}${pipeline}` as PipelineId,
      updates,
    });
  }

  /** Removes what a pipeline has written: nobody resolves that. */
  async remove(pipeline: string): Promise<void> {
    this.epoch += 1;
    const writer = { role: 'removal', epoch: this.epoch } as const;
    const remover = await this.writers.beginRemoval(writer, pipeline as PipelineId);
    while (!(await remover.remove(() => Promise.resolve())).isLast);
  }

  /** Writes an event. */
  async event(connectionId: string, anonymousId: string, userId?: string): Promise<void> {
    const events = await this.writers.beginEvents({ role: 'events', epoch: 1 });
    await events.write([this.eventOf(connectionId, anonymousId, userId)]);
  }

  /** An event with a message id of its own. */
  eventOf(connectionId: string, anonymousId: string, userId?: string): RecordValue {
    this.messages += 1;
    const user = userId === undefined ? {} : { userId };
    return eventOf(`m${String(this.messages)}`, { connectionId, anonymousId, ...user });
  }

  /** Puts a person into the tables, as a resolution of its identities does. */
  async resolve({ profile, where, owns = [], absorbed = [] }: PutPerson): Promise<void> {
    const { erasing } = this;
    const [identities, keys] = [this.at('_identities'), this.at('_identity_keys')];
    const own = `_profile_id = '${profile}'`;
    const into = `INSERT INTO ${keys} (kind, key, mask, identity)`;
    await erasing.run(`UPDATE ${identities} SET _profile_id = '${profile}' WHERE ${where}`);
    await erasing.run(
      `${into} SELECT CASE WHEN _anonymous THEN 'n' ELSE 'k' END,
       ${erasing.keyOfRecord('_connection', '_record_id')}, 0, _id FROM ${identities} WHERE ${own}`,
    );
    for (const { connection, recordId, anonymousId } of owns)
      await erasing.run(
        `${into} SELECT 'n', ${erasing.keyOfRecord('_connection', `'${anonymousId}'`)}, 1, _id FROM ${identities}
         WHERE ${own} AND _connection = '${connection}' AND _record_id = '${recordId}' AND NOT _anonymous`,
      );
    await erasing.run(
      `INSERT INTO ${this.at('_profiles')} (_profile_id, _identities) VALUES ('${profile}', 1)`,
    );
    for (const [index, alias] of absorbed.entries()) {
      await erasing.run(
        `INSERT INTO ${this.at('_profile_aliases')} (alias, profile_id) VALUES ('${alias}', '${profile}')`,
      );
      await erasing.run(
        `INSERT INTO ${this.at('_profile_history')} (profile_id, id, fact, ${erasing.column('at')})
         SELECT '${alias}', ${String(index)}, ${erasing.json('{}')}, CURRENT_TIMESTAMP`,
      );
    }
    await this.erasing.run(
      `DELETE FROM ${this.at('_dirty')} WHERE identity IN (SELECT _id FROM ${identities} WHERE ${own})`,
    );
  }

  /** Forgets by what identities are joined, as while everything is resolved anew. */
  takeApart(): Promise<unknown> {
    return this.erasing.run(`DELETE FROM ${this.at('_identity_keys')}`);
  }

  at(name: string): string {
    return this.erasing.table(name);
  }

  /** Cells of a table, in any order. */
  cells(table: string, ...columns: readonly string[]) {
    const casts = columns.map((name, index) => `CAST(${name} AS VARCHAR) AS c${String(index)}`);
    return this.erasing.cells(`SELECT ${casts.join(', ')} FROM ${this.at(table)}`);
  }

  /** The facts that were recorded. */
  async facts(): Promise<readonly unknown[]> {
    return (await this.cells('_outbox', 'fact')).map(
      ([fact]) => JSON.parse(String(fact)) as unknown,
    );
  }

  /** Cells of one column of a table, sorted. */
  async column(table: string, column: string): Promise<readonly (string | null | undefined)[]> {
    return (await this.cells(table, column)).map(([cell]) => cell).sort();
  }

  /** Users, and anonymous ids where there is none, of the events, sorted. */
  async eventsOf(): Promise<readonly (string | null | undefined)[]> {
    const cells = await this.cells('_events', 'user_id', 'anonymous_id');
    return cells.map(([user, anonymous]) => user ?? anonymous).sort();
  }

  async recordIds(): Promise<readonly string[]> {
    return (await this.erasing.identities()).map(({ recordId }) => recordId).sort();
  }

  /** What is in all tables. */
  async contents(): Promise<unknown> {
    const contents: unknown[] = [];
    for (const [table, columns] of Object.entries(TABLES)) {
      const rows = await this.cells(table, ...columns);
      contents.push([table, rows.map((row) => JSON.stringify(row)).sort()]);
    }
    return contents;
  }

  /** As before anything was written. */
  async empty(): Promise<void> {
    for (const table of [...Object.keys(TABLES), '_seen'])
      await this.erasing.run(`DELETE FROM ${this.at(table)}`);
  }

  async close(): Promise<void> {
    await this.writers.close();
    await this.erasing.close();
  }
}
