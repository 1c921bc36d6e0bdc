import { type Client, escapeLiteral } from 'pg';
import type {
  ErasedCounts,
  ErasedPiece,
  ErasedRecord,
  Eraser,
  Erasure,
} from '../../platform/eraser';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import { arrayText } from '../columns/copy-text';
import type { Guarded } from '../layout/guard';
import { Batch, waySettings } from '../resolving/batch';
import { aloneResolving } from '../resolving/beside-resolution';
import { ResolvingTransactions } from '../resolving/resolving-transactions';
import { stagesOf } from '../resolving/stage-tables';
import { unlocked } from '../resolving/unlocked';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { eraseEventsPiece, PIECE, selectNext } from './erase-events';
import { erasedHash } from '../../platform/erased-hash';
import { PersonTaking, type Taken } from './take-person';

/** What an eraser needs of the warehouse. */
export interface ErasingPlace extends Guarded {
  readonly keyedHash: (text: string) => string;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
}

interface RecordRow extends Pick<ErasedRecord, 'connection' | 'anonymous'> {
  readonly place: string;
  readonly record_id: string;
}

/** The profile has more identities than a person: nothing is committed. */
class TooMany extends WarehouseFault {
  constructor() {
    super('unusable', 'the profile has too many identities');
  }
}

const recordOf = ({ connection, anonymous, record_id: recordId }: RecordRow): ErasedRecord => ({
  ...{ connection, anonymous, recordId },
});

/** Nobody is joined, so that no rule is needed. */
const NO_RULES = { identifiers: [], columns: [] } as const;

/** Erases a person from the warehouse of one workspace under one epoch. */
export class PostgresqlEraser implements Eraser {
  private readonly transactions: ResolvingTransactions;

  constructor(
    sessions: Sessions,
    private readonly place: ErasingPlace,
    writer: Writer,
    private readonly erasure: Erasure,
  ) {
    this.transactions = new ResolvingTransactions(sessions, place, writer);
  }

  async take(signal: AbortSignal): Promise<boolean> {
    const { schema } = this.place;
    const work = (client: Client): Promise<void> => this.takeIn(client, signal);
    // Whoever goes on with the erasure need wait for no writer, and no writer for it.
    if (await this.isTaken()) return true;
    try {
      await unlocked(
        () => this.transactions.change(signal, [aloneResolving(schema)], work),
        signal,
      );
      return true;
    } catch (error) {
      if (error instanceof TooMany) return false;
      throw error;
    }
  }

  async next(): Promise<readonly ErasedRecord[]> {
    const select = selectNext(this.place.schema, this.erasure.id, PIECE.records);
    return (await this.transactions.read<RecordRow>(select)).map(recordOf);
  }

  async eraseEvents(signal: AbortSignal): Promise<ErasedPiece> {
    const piece = [
      ...waySettings('looksUp'),
      eraseEventsPiece(this.place.schema, this.erasure.id, PIECE),
    ];
    const [row] = await unlocked(
      () => this.transactions.changeBy<ErasedCounts & { readonly isLast: boolean }>(signal, piece),
      signal,
    );
    if (row === undefined) throw new WarehouseFault('unusable', 'the erasure was not begun');
    const { isLast, ...counts } = row;
    return { counts, isLast };
  }

  private async isTaken(): Promise<boolean> {
    const rows = await this.transactions.read(
      `SELECT FROM ${this.table('_erasures')} WHERE erasure = ${escapeLiteral(this.erasure.id)}`,
    );
    return rows.length > 0;
  }

  private async takeIn(client: Client, signal: AbortSignal): Promise<void> {
    const { schema, aheadSeconds } = this.place;
    if (!(await this.begin(client))) return;
    const stages = await stagesOf(client, schema, Date.now() / 1_000 + aheadSeconds);
    const batch = new Batch(client, schema, NO_RULES, signal, stages);
    const taking = new PersonTaking(batch, this.erasure, await this.survivor(client));
    const taken = await taking.take();
    if (taken === undefined) throw new TooMany();
    await this.keepHashes(client, signal);
    await this.count(client, taken);
    await batch.end();
  }

  /** @returns whether it was not begun before */
  private async begin(client: Client): Promise<boolean> {
    const { rowCount } = await client.query(
      `INSERT INTO ${this.table('_erasures')} (erasure) VALUES ($1) ON CONFLICT DO NOTHING`,
      [this.erasure.id],
    );
    return rowCount === 1;
  }

  private async survivor(client: Client): Promise<string> {
    const { profile } = this.erasure;
    const { rows } = await client.query<{ profile_id: string }>(
      `SELECT profile_id FROM ${this.table('_profile_aliases')} WHERE alias = $1`,
      [profile],
    );
    return rows[0]?.profile_id ?? profile;
  }

  /** From then on no writer writes what the person was known by. */
  private async keepHashes(client: Client, signal: AbortSignal): Promise<void> {
    for (let after = '0'; ;) {
      signal.throwIfAborted();
      const { rows } = await client.query<RecordRow>(
        `SELECT e.place::text, connection, anonymous, record_id FROM ${this.table('_erasing')} AS e
         WHERE erasure = $1 AND e.place > $2 ORDER BY e.place LIMIT ${PIECE.records}`,
        [this.erasure.id, after],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      await client.query(this.insertHashes(rows));
      after = last.place;
    }
  }

  private insertHashes(rows: readonly RecordRow[]): string {
    const connections = rows.map(({ connection }) => connection);
    const hashes = rows.map((row) => erasedHash(this.place.keyedHash, recordOf(row)));
    const [of, hash] = [connections, hashes].map((texts) => escapeLiteral(arrayText(texts)));
    return `INSERT INTO ${this.table('_erased')} (connection, hash)
      SELECT * FROM unnest(${of ?? ''}::text[], ${hash ?? ''}::text[]) ON CONFLICT DO NOTHING`;
  }

  private async count(client: Client, taken: Taken): Promise<void> {
    const { profiles, identities, history } = taken;
    await client.query(
      `UPDATE ${this.table('_erasures')} SET profiles = $2, identities = $3, history = $4
       WHERE erasure = $1`,
      [this.erasure.id, profiles, identities, history],
    );
  }

  private table(name: string): string {
    return qualified(this.place.schema, name);
  }
}
