import {
  type ImportSource,
  type KindInput,
  type RecordColumns,
  Refusal,
} from '@penstock/contracts';
import { COMPRESSIONS, FILE_FORMATS, type FileFormat } from '@penstock/files';
import { parseJson, writeJson } from '@penstock/schema';
import { checkedBy } from '@penstock/settings';
import type { Findings } from './findings';
import type { ImportKind } from './pipeline-kind';

const columnsOf = ({
  userIDColumn = '',
  updatedAtColumn,
  updatedAtFormat,
}: KindInput): RecordColumns => ({
  userID: userIDColumn,
  updatedAt: updatedAtColumn ?? null,
  updatedAtFormat: updatedAtFormat ?? null,
});

const checkSheet = (sheet: string | null, { code, hasSheets }: FileFormat, findings: Findings) => {
  if (hasSheets === (sheet !== null)) return;
  findings.add(
    '/sheet',
    hasSheets ? `is required: the format ${code} has sheets` : `the format ${code} has no sheets`,
  );
};

/** @throws Refusal FormatNotExist */
const fileSource = (input: KindInput, findings: Findings): ImportSource => {
  const format = FILE_FORMATS.find(({ code }) => code === input.format);
  if (format === undefined) throw new Refusal('FormatNotExist');
  const sheet = input.sheet ?? null;
  checkSheet(sheet, format, findings);
  const compression = COMPRESSIONS.find((each) => each === (input.compression ?? ''));
  if (compression === undefined)
    findings.add('/compression', `must be one of ${COMPRESSIONS.slice(1).join(', ')}, or empty`);
  const settings = findings.of('formatSettings', () =>
    checkedBy(format.settings)(parseJson(input.formatSettings ?? '{}')),
  );
  return {
    kind: 'file',
    format: format.code,
    path: input.path ?? '',
    sheet,
    compression: compression ?? '',
    formatSettings: settings === undefined ? '{}' : writeJson(settings),
    columns: columnsOf(input),
  };
};

/**
 * What an import reads, of members that {@link checkMembers} accepts; adds what is wrong with them to the findings. The
 * path of a file is checked where its storage is known, a query where its database is.
 *
 * @throws Refusal FormatNotExist
 */
export const importSource = (
  kind: ImportKind,
  input: KindInput,
  findings: Findings,
): ImportSource => {
  if (kind === 'application') return { kind };
  if (kind === 'file') return fileSource(input, findings);
  return { kind, query: input.query ?? '', columns: columnsOf(input) };
};
