import { PROFILES } from '../platform/profiles.fixture';
import type { PutProfile } from '../platform/read-stage.fixture';
import { profileColumns } from './columns/profile-columns';
import { momentCell, numberCell, type PutRow, recordCells, textCell } from './put-rows.fixture';

/** The columns of {@link PROFILES}. */
export const COLUMNS = profileColumns(PROFILES.schema);

/** Digits of the fractions of seconds that the stand-in keeps. */
export const MICROSECONDS = 6;

/** A profile as a row of its table. */
export const profileRow = ({ id, updatedAt, attributes }: PutProfile): PutRow => ({
  _PROFILE_ID: textCell(id),
  _CREATED_AT: momentCell('2026-03-01T09:00:00Z'),
  _UPDATED_AT: momentCell(updatedAt),
  _IDENTITIES: numberCell(1),
  ...recordCells(attributes, COLUMNS),
});
