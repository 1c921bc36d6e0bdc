import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Name of the pack in the folder of a program. */
export const PACK_NAME = 'modules.pack';

/** A module as it is packed. */
export interface PackedModule {
  readonly file: string;
  /** What node compiles: the text of the file as a function. */
  readonly source: string;
  /** What V8 has made of the source. */
  readonly code: Buffer;
  /** What it asks for, each followed by the place in the pack of what was found. */
  readonly imports: readonly (string | number)[];
}

/** What a pack was made of: texts of files by their paths, relative to the root. */
export type Origin = Readonly<Record<string, string>>;

/** The first line, which alone shows whether a pack is current. */
interface Heading {
  readonly node: string;
  /** The folder that paths are relative to, seen from that of the pack. */
  readonly root: string;
  readonly origin: Origin;
  /** Bytes of the parts that follow: the table, sources of one byte a character, and of two. The rest is code. */
  readonly sizes: readonly [table: number, narrow: number, wide: number];
}

/** Of each module: its path relative to the root, the kind and length of its source, the length of its code. */
type Row = readonly [
  path: string,
  kind: 0 | 1,
  characters: number,
  bytes: number,
  imports: PackedModule['imports'],
];

const NODE = `${process.version} ${process.arch}`;
const LINE_END = 0x0a;

const isText = (file: string, text: string): boolean => {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
};

/** Reads the heading of a pack. @returns undefined when something else is there now than what it was made of. */
const currentHeading = (folder: string, bytes: Buffer): Heading | undefined => {
  const heading = JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(LINE_END))) as Heading;
  const root = join(folder, heading.root);
  const isCurrent =
    heading.node === NODE &&
    Object.entries(heading.origin).every(([path, text]) => isText(join(root, path), text));
  return isCurrent ? heading : undefined;
};

const parse = (folder: string, bytes: Buffer): readonly PackedModule[] | undefined => {
  const heading = currentHeading(folder, bytes);
  if (heading === undefined) return undefined;
  let at = bytes.indexOf(LINE_END) + 1;
  const next = (size: number): Buffer => bytes.subarray(at, (at += size));
  const [table, narrow, wide] = heading.sizes.map(next) as [Buffer, Buffer, Buffer];
  const sources = [narrow.toString('latin1'), wide.toString('utf16le')] as const;
  const read: [number, number] = [0, 0];
  const root = join(folder, heading.root);
  // Most are below the root, where joining is adding: it is done for thousands.
  const fileOf = (path: string): string =>
    path.startsWith('..') ? join(root, path) : `${root}${sep}${path}`;
  return (JSON.parse(table.toString('utf8')) as readonly Row[]).map(
    ([path, kind, characters, size, imports]) => ({
      file: fileOf(path),
      source: sources[kind].slice(read[kind], (read[kind] += characters)),
      code: next(size),
      imports,
    }),
  );
};

/** Does what a pack is read for. @returns undefined where there is none, or one that cannot be read. */
const ofPack = <T>(file: string, read: (folder: string, bytes: Buffer) => T): T | undefined => {
  try {
    return read(dirname(file), readFileSync(file));
  } catch {
    return undefined;
  }
};

/** Whether there is a pack, of this Node and of what is there now. */
export const isPackCurrent = (file: string): boolean => ofPack(file, currentHeading) !== undefined;

/** @returns the modules of the pack; undefined where there is none that is current. */
export const readPack = (file: string): readonly PackedModule[] | undefined => ofPack(file, parse);

const isWide = (text: string): boolean => /[^\u0000-\u00ff]/.test(text);

/**
 * Writes a pack in one step: whoever reads it has a whole one, the earlier or the later.
 *
 * @param root what is below it may be moved with it.
 */
export const writePack = (
  file: string,
  root: string,
  origin: Origin,
  modules: readonly PackedModule[],
): void => {
  const ofKind = (kind: 0 | 1): Buffer =>
    Buffer.from(
      modules
        .filter(({ source }) => Number(isWide(source)) === kind)
        .map(({ source }) => source)
        .join(''),
      kind === 0 ? 'latin1' : 'utf16le',
    );
  const rows = modules.map(({ file: path, source, code, imports }): Row => [
    relative(root, path),
    isWide(source) ? 1 : 0,
    source.length,
    code.length,
    imports,
  ]);
  const parts = [Buffer.from(JSON.stringify(rows)), ofKind(0), ofKind(1)];
  const sizes = parts.map(({ length }) => length) as unknown as Heading['sizes'];
  const heading: Heading = { node: NODE, root: relative(dirname(file), root), origin, sizes };
  const codes = modules.map(({ code }) => code);
  const whole = [Buffer.from(`${JSON.stringify(heading)}\n`), ...parts, ...codes];
  const written = `${file}.${String(process.pid)}`;
  writeFileSync(written, Buffer.concat(whole));
  renameSync(written, file);
};
