import { readSync } from 'node:fs';
import { spool, type SpooledFile, type SpoolOptions } from '../content/spooled-file';
import type { ZippedFile } from '../zip/zip-archive';
import { StringCollector } from './string-collector';
import { xmlEvents } from './xml-events';

const BLOCK_BYTES = 65_536;
/** Blocks that are kept in memory. */
const MAX_BLOCKS = 64;

/** The texts that the cells of a workbook refer to, on disk. */
export interface SharedStrings {
  /** @returns undefined when there is no such text. */
  get(index: number): string | undefined;
  /** Removes the texts; may be called again. */
  close(): Promise<void>;
}

async function* collected(
  file: ZippedFile,
  collector: StringCollector,
): AsyncGenerator<Uint8Array> {
  for await (const _ of xmlEvents(file.read(), collector)) {
    const bytes = collector.take();
    if (bytes.length > 0) yield bytes;
  }
}

/** Reads blocks of a file, the last ones from memory. */
class Blocks {
  private readonly blocks = new Map<number, Buffer>();

  constructor(private readonly file: SpooledFile) {}

  read(start: number, end: number): Buffer {
    const first = Math.floor(start / BLOCK_BYTES);
    const last = Math.floor((end - 1) / BLOCK_BYTES);
    const parts: Buffer[] = [];
    for (let number = first; number <= last; number += 1) {
      const at = number * BLOCK_BYTES;
      parts.push(this.block(number).subarray(Math.max(0, start - at), end - at));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  private block(number: number): Buffer {
    const known = this.blocks.get(number);
    if (known !== undefined) return known;
    const at = number * BLOCK_BYTES;
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, this.file.size - at));
    readSync(this.file.fd, block, 0, block.length, at);
    const [oldest] = this.blocks.keys();
    if (this.blocks.size >= MAX_BLOCKS && oldest !== undefined) this.blocks.delete(oldest);
    this.blocks.set(number, block);
    return block;
  }
}

const NONE: SharedStrings = { get: () => undefined, close: () => Promise.resolve() };

/**
 * Reads the texts that cells refer to.
 *
 * @throws FileFault
 */
export const sharedStrings = async (
  file: ZippedFile | undefined,
  options: SpoolOptions,
): Promise<SharedStrings> => {
  if (file === undefined) return NONE;
  const collector = new StringCollector();
  const spooled = await spool(collected(file, collector), options);
  const blocks = new Blocks(spooled);
  const { offsets, count } = collector;
  return {
    get: (index) => {
      if (!(index >= 0 && index < count)) return undefined;
      const [start = 0, end = 0] = [offsets[index], offsets[index + 1]];
      return start === end ? '' : blocks.read(start, end).toString();
    },
    close: () => spooled.close(),
  };
};
