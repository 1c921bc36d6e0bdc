import { DatabaseError, escapeLiteral } from 'pg';
import type { ErasedRecord } from '../../platform/eraser';
import { COPY_NULL } from '../columns/copy-text';
import { LOOK_UPS } from '../merging/merge-identities';
import { qualified } from '../sql/names';
import { erasedHash } from '../../platform/erased-hash';

/** SQLSTATE of what is raised where rows were staged without their hashes, and somebody was erased. */
const UNHASHED = 'PS007';

/** The first column of a staging table: hashes of whom a row is about; null before anybody was erased. */
export const HASHES = { name: '_hashes', sqlType: 'text[]' } as const;

/**
 * Has the writers of a warehouse leave out who was erased. Nothing is hashed before they meet a warehouse where somebody was: a
 * hash costs some microseconds for each row.
 */
export class LeftOut {
  private isHashing = false;

  constructor(
    private readonly schema: string,
    private readonly keyedHash: (text: string) => string,
  ) {}

  /** The field of {@link HASHES} of a row, as COPY reads it, with what separates it from the next one. */
  field(records: () => readonly ErasedRecord[]): string {
    if (!this.isHashing) return `${COPY_NULL}\t`;
    const hashes = records().map((record) => erasedHash(this.keyedHash, record));
    return `{${hashes.join(',')}}\t`;
  }

  /** Statements that take the events that name somebody who was erased out of a staging table. */
  eventStatements(stage: string): readonly string[] {
    return this.statements(stage, [
      `DELETE FROM ${stage} AS s USING ${this.erased} AS e WHERE e.hash = ANY (s.${HASHES.name})`,
    ]);
  }

  /** Statements that take the identities of who was erased out of a staging table, and them out of the previous ids of others. */
  identityStatements(stage: string): readonly string[] {
    const { name } = HASHES;
    return this.statements(stage, [
      `DELETE FROM ${stage} AS s USING ${this.erased} AS e WHERE e.hash = s.${name}[1]`,
      `UPDATE ${stage} AS s SET _previous_ids = ARRAY (
         SELECT id FROM unnest(s._previous_ids, s.${name}[2:]) WITH ORDINALITY AS each (id, hash, place)
         WHERE NOT EXISTS (SELECT FROM ${this.erased} AS e WHERE e.hash = each.hash) ORDER BY place)
       WHERE s._previous_ids <> '{}'`,
    ]);
  }

  /** Whether the rows are to be staged again, with hashes: from then on they always are. */
  isMissing(error: unknown): boolean {
    if (!(error instanceof DatabaseError) || error.code !== UNHASHED) return false;
    this.isHashing = true;
    return true;
  }

  /**
   * The statements that leave out. They fail where somebody was erased and the table has no hashes: it may have been staged
   * before another batch has met that.
   */
  private statements(stage: string, leavingOut: readonly string[]): readonly string[] {
    const check = `DO ${escapeLiteral(`BEGIN
      IF EXISTS (SELECT FROM ${this.erased}) AND EXISTS (SELECT FROM ${stage} WHERE ${HASHES.name} IS NULL) THEN
        RAISE EXCEPTION USING ERRCODE = '${UNHASHED}', MESSAGE = 'rows were staged without hashes'; END IF; END`)}`;
    if (!this.isHashing) return [check];
    return [
      check,
      ...LOOK_UPS,
      'SET LOCAL enable_seqscan = off',
      ...leavingOut,
      'SET LOCAL enable_seqscan = on',
    ];
  }

  private get erased(): string {
    return qualified(this.schema, '_erased');
  }
}
