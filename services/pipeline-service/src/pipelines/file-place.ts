import { type ExportDestination, type KindInput, Refusal } from '@penstock/contracts';
import { COMPRESSIONS, FILE_FORMATS, type FileFormat } from '@penstock/files';
import { parseJson, writeJson } from '@penstock/schema';
import { checkedBy } from '@penstock/settings';
import type { Findings } from './findings';

/** A file that a pipeline reads or writes. */
type FilePlace = Omit<Extract<ExportDestination, { kind: 'file' }>, 'orderBy'>;

const checkSheet = (sheet: string | null, { code, hasSheets }: FileFormat, findings: Findings) => {
  if (hasSheets === (sheet !== null)) return;
  findings.add(
    '/sheet',
    hasSheets ? `is required: the format ${code} has sheets` : `the format ${code} has no sheets`,
  );
};

/**
 * The file of a pipeline, of members that {@link checkMembers} accepts; adds what is wrong with them to the findings. The
 * path is checked where the storage is known.
 *
 * @param isWritten else it is read: a format may have other settings then.
 * @throws Refusal FormatNotExist
 */
export const filePlace = (input: KindInput, isWritten: boolean, findings: Findings): FilePlace => {
  const format = FILE_FORMATS.find(({ code }) => code === input.format);
  if (format === undefined) throw new Refusal('FormatNotExist');
  const sheet = input.sheet ?? null;
  checkSheet(sheet, format, findings);
  const compression = COMPRESSIONS.find((each) => each === (input.compression ?? ''));
  if (compression === undefined)
    findings.add('/compression', `must be one of ${COMPRESSIONS.slice(1).join(', ')}, or empty`);
  const form = (isWritten ? format.writingSettings : undefined) ?? format.settings;
  const settings = findings.of('formatSettings', () =>
    checkedBy(form)(parseJson(input.formatSettings ?? '{}')),
  );
  return {
    kind: 'file',
    format: format.code,
    path: input.path ?? '',
    sheet,
    compression: compression ?? '',
    formatSettings: settings === undefined ? '{}' : writeJson(settings),
  };
};
