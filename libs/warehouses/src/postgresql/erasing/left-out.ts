import { DatabaseError, escapeLiteral } from 'pg';
import type { ErasedRecord } from '../../platform/eraser';
import { COPY_NULL } from '../columns/copy-text';
import { LOOK_UPS } from '../merging/merge-identities';
import { qualified } from '../sql/names';
import { erasedHash } from './erased-hash';

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

  /**
   * Statements that take the rows of who was erased out of a staging table; they fail where somebody was and the table has no
   * hashes: it may have been staged before another batch has met that.
   */
  statements(stage: string): readonly string[] {
    const erased = qualified(this.schema, '_erased');
    const check = `DO ${escapeLiteral(`BEGIN
      IF EXISTS (SELECT FROM ${erased}) AND EXISTS (SELECT FROM ${stage} WHERE ${HASHES.name} IS NULL) THEN
        RAISE EXCEPTION USING ERRCODE = '${UNHASHED}', MESSAGE = 'rows were staged without hashes'; END IF; END`)}`;
    if (!this.isHashing) return [check];
    return [
      check,
      ...LOOK_UPS,
      'SET LOCAL enable_seqscan = off',
      `DELETE FROM ${stage} AS s USING ${erased} AS e WHERE e.hash = ANY (s.${HASHES.name})`,
      'SET LOCAL enable_seqscan = on',
    ];
  }

  /** Whether the rows are to be staged again, with hashes: from then on they always are. */
  isMissing(error: unknown): boolean {
    if (!(error instanceof DatabaseError) || error.code !== UNHASHED) return false;
    this.isHashing = true;
    return true;
  }
}
