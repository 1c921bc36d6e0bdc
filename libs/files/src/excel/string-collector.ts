import { FileFault } from '../content/file-fault';
import { shownText } from './cell-text';
import { MAX_CELL_LENGTH } from './cell-writer';
import type { XmlListener } from './xml-events';

/** Texts of a workbook; each takes eight bytes of memory. */
const MAX_STRINGS = 8_388_608;
/** UTF-16 units of a text as it is stored, in which each may be an escape such as `_x000D_`. */
const MAX_STORED_LENGTH = 7 * MAX_CELL_LENGTH;

const tooLong = (): FileFault =>
  new FileFault('InvalidFile', `has a text of more than ${String(MAX_CELL_LENGTH)} characters`);

/** Collects the texts as they are stored, without how they are to be read out. */
export class StringCollector implements XmlListener {
  /** Where each text begins, and behind the last one. */
  offsets = new Float64Array(1_024);
  count = 0;
  private written: Buffer[] = [];
  private text = '';
  private isText = false;
  /** Depth of phonetic hints. */
  private hints = 0;

  onOpen(name: string): void {
    if (name === 'si') this.text = '';
    if (name === 'rPh') this.hints += 1;
    this.isText = name === 't' && this.hints === 0;
  }

  onText(text: string): void {
    if (!this.isText) return;
    this.text += text;
    if (this.text.length > MAX_STORED_LENGTH) throw tooLong();
  }

  onClose(name: string): void {
    this.isText = false;
    if (name === 'rPh') this.hints -= 1;
    if (name === 'si') this.end();
  }

  /** What has been collected since the last call. */
  take(): Buffer {
    const bytes = Buffer.concat(this.written);
    this.written = [];
    return bytes;
  }

  private end(): void {
    if (this.count >= MAX_STRINGS)
      throw new FileFault('InvalidFile', `has more than ${String(MAX_STRINGS)} different texts`);
    if (this.text.length > MAX_CELL_LENGTH && shownText(this.text).length > MAX_CELL_LENGTH)
      throw tooLong();
    const bytes = Buffer.from(this.text);
    this.written.push(bytes);
    this.count += 1;
    if (this.count >= this.offsets.length) {
      const grown = new Float64Array(this.offsets.length * 2);
      grown.set(this.offsets);
      this.offsets = grown;
    }
    this.offsets[this.count] = (this.offsets[this.count - 1] ?? 0) + bytes.length;
  }
}
