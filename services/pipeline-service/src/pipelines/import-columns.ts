import type { RecordColumns } from '@penstock/contracts';
import {
  compileUpdateTimeFormat,
  type Kind,
  nearestName,
  type Property,
  type Schema,
} from '@penstock/schema';
import type { Findings } from './findings';

const USER_ID_KINDS: readonly Kind[] = ['string', 'int', 'uuid', 'json'];
const TIME_KINDS: readonly Kind[] = ['datetime', 'date', 'string', 'json'];
/** Kinds whose values say a time in a form that has to be given. */
const TEXT_KINDS: readonly Kind[] = ['string', 'json'];

const listed = (kinds: readonly Kind[]): string =>
  `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1) ?? ''}`;

/** Finds the property of a column, and checks its kind. */
const columnIn = (
  member: 'userIDColumn' | 'updatedAtColumn',
  column: string,
  { schema: { properties }, kinds }: { readonly schema: Schema; readonly kinds: readonly Kind[] },
  findings: Findings,
): Property | undefined => {
  const found = properties.find(({ name }) => name === column);
  if (found === undefined) {
    const meant = nearestName(
      column,
      properties.map(({ name }) => name),
    );
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    findings.add(`/${member}`, `must be the name of a property of inSchema${hint}`);
  } else if (!kinds.includes(found.type.kind))
    findings.add(
      `/${member}`,
      `must be a property of kind ${listed(kinds)}, not ${found.type.kind}`,
    );
  return found;
};

const checkUserID = (column: string, schema: Schema, findings: Findings): void => {
  const found = columnIn('userIDColumn', column, { schema, kinds: USER_ID_KINDS }, findings);
  if (found?.readOptional === true)
    findings.add('/userIDColumn', 'must be a property that is always there, not readOptional');
};

const checkFormat = (
  format: string | null,
  kind: Kind | undefined,
  from: 'database' | 'file',
  findings: Findings,
): void => {
  if (format !== null && (kind === undefined || TEXT_KINDS.includes(kind)))
    findings.of('updatedAtFormat', () => compileUpdateTimeFormat(format, from));
  if (kind === undefined) return;
  const isNeeded = TEXT_KINDS.includes(kind);
  if (isNeeded && format === null)
    findings.add('/updatedAtFormat', `is required for a column of kind ${kind}`);
  if (!isNeeded && format !== null)
    findings.add('/updatedAtFormat', `must be left out for a column of kind ${kind}`);
};

/**
 * Checks the columns of an import against what is read of each record.
 *
 * @param schema `null` where it could not be read itself: then only the form of times is checked.
 */
export const checkColumns = (
  { userID, updatedAt, updatedAtFormat }: RecordColumns,
  schema: Schema | null,
  from: 'database' | 'file',
  findings: Findings,
): void => {
  if (schema !== null) checkUserID(userID, schema, findings);
  if (updatedAt === null) {
    if (updatedAtFormat !== null)
      findings.add('/updatedAtFormat', 'must be left out without an updatedAtColumn');
    return;
  }
  if (updatedAt === userID) findings.add('/updatedAtColumn', 'must be another than userIDColumn');
  const kinds = TIME_KINDS;
  const found = schema && columnIn('updatedAtColumn', updatedAt, { schema, kinds }, findings);
  const kind = found?.type.kind;
  checkFormat(updatedAtFormat, kind && kinds.includes(kind) ? kind : undefined, from, findings);
};
