import { posix } from 'node:path';
import { FileFault } from '../content/file-fault';
import { limited } from '../content/limited';
import type { ReadingOptions } from '../content/reading-options';
import type { SpooledFile } from '../content/spooled-file';
import { filesInZip, type ZippedFile } from '../zip/zip-archive';
import { readXml } from './xml-events';

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly file: ZippedFile;
}

/** What a workbook holds. */
export interface Workbook {
  /** In their order. */
  readonly sheets: readonly Sheet[];
  /** The texts that cells refer to; undefined where there are none. */
  readonly strings: ZippedFile | undefined;
  readonly styles: ZippedFile | undefined;
  /** Whether days are counted from 1904. */
  readonly isFrom1904: boolean;
}

interface Relation {
  readonly kind: string;
  readonly target: string;
}

const WORKBOOK = 'officeDocument';

/** The relations of a part, by id. The last step of a type is what it is. */
const relationsOf = async (
  files: ReadonlyMap<string, ZippedFile>,
  part: string,
): Promise<ReadonlyMap<string, Relation>> => {
  const { dir, base } = posix.parse(part);
  const file = files.get(posix.join(dir, '_rels', `${base}.rels`));
  const relations = new Map<string, Relation>();
  if (file === undefined) return relations;
  await readXml(file.read(), {
    onOpen: (name, { Id: id, Type: type = '', Target: target = '' }) => {
      if (name !== 'Relationship' || id === undefined) return;
      const path = target.startsWith('/') ? target.slice(1) : posix.join(dir, target);
      relations.set(id, { kind: type.slice(type.lastIndexOf('/') + 1), target: path });
    },
    onText: () => undefined,
    onClose: () => undefined,
  });
  return relations;
};

const ofKind = (
  files: ReadonlyMap<string, ZippedFile>,
  relations: ReadonlyMap<string, Relation>,
  kind: string,
): ZippedFile | undefined => {
  const found = [...relations.values()].find((relation) => relation.kind === kind);
  return found && files.get(found.target);
};

const noWorkbook = (): FileFault => new FileFault('InvalidFile', 'is no Excel workbook (xlsx)');

/** The id of a relation, whatever the prefix of its namespace. */
const relationId = (attributes: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];

/** The parts of a workbook by their names, each within the bounds of the reading. */
const partsIn = async (
  spooled: SpooledFile,
  { zip, maxBytes = Infinity, signal }: ReadingOptions,
): Promise<ReadonlyMap<string, ZippedFile>> => {
  const files = await filesInZip(spooled, zip);
  return new Map(
    files.map((file) => [
      file.name,
      { ...file, read: () => limited(file.read(), maxBytes, signal) },
    ]),
  );
};

/**
 * Finds the parts of a workbook.
 *
 * @param spooled must stay open while they are read.
 * @throws FileFault InvalidFile
 */
export const workbookIn = async (
  spooled: SpooledFile,
  options: ReadingOptions,
): Promise<Workbook> => {
  const files = await partsIn(spooled, options);
  const main = ofKind(files, await relationsOf(files, ''), WORKBOOK);
  if (main === undefined) throw noWorkbook();
  const relations = await relationsOf(files, main.name);
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  await readXml(main.read(), {
    onOpen: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      const relation = name === 'sheet' ? relations.get(relationId(attributes) ?? '') : undefined;
      const file = relation?.kind === 'worksheet' ? files.get(relation.target) : undefined;
      if (file !== undefined) sheets.push({ name: attributes['name'] ?? '', file });
    },
    onText: () => undefined,
    onClose: () => undefined,
  });
  return {
    sheets,
    strings: ofKind(files, relations, 'sharedStrings'),
    styles: ofKind(files, relations, 'styles'),
    isFrom1904,
  };
};
