import type { FileMetaData, RowGroup } from 'hyparquet';
import { newRecord } from '@penstock/schema';
import type { SpooledFile } from '../content/spooled-file';
import type { FileRecord } from '../format/file-format';
import { columnProblem } from '../format/property-names';
import { Budget } from './budget';
import type { Column, Problems, Slot } from './columns';
import { Damaged } from './hybrid';
import { type Chunk, LeafReader } from './leaf-reader';

/** Rows of a batch. */
const BATCH_ROWS = 1_000;

const chunkOf = ({ path, leaf }: Slot, { columns }: RowGroup, size: number): Chunk => {
  const chunk = columns.find(({ meta_data: data }) =>
    data?.path_in_schema.every((step, index) => step === path[index]),
  );
  const data = chunk?.meta_data;
  if (data === undefined) throw new Damaged('a column is missing, or encrypted');
  if (chunk?.file_path) throw new Damaged('a column is in another file');
  const dictionary = Number(data.dictionary_page_offset ?? 0);
  const first = Number(data.data_page_offset);
  const start = dictionary > 0 ? Math.min(dictionary, first) : first;
  const end = start + Number(data.total_compressed_size);
  if (start < 0 || end > size) throw new Damaged('a column is cut off');
  return { leaf: { ...leaf, codec: data.codec }, start, end, count: Number(data.num_values) };
};

/** Reads the columns side by side, a few pages of each at a time. */
export class RowGroups {
  private row = 0;
  private readonly budget = new Budget();
  private readonly slots: readonly Slot[];

  constructor(
    private readonly file: SpooledFile,
    private readonly metadata: FileMetaData,
    private readonly columns: readonly Column[],
    private readonly problems: Problems,
  ) {
    this.slots = columns.flatMap(({ part }) => part.slots);
  }

  /** The records in batches. @throws Error when the file is damaged. */
  async *batches(): AsyncGenerator<readonly FileRecord[]> {
    for (const group of this.metadata.row_groups) {
      const readers = this.slots.map((slot) => {
        slot.reader = new LeafReader(this.file, chunkOf(slot, group, this.file.size), this.budget);
        return slot.reader;
      });
      for (let left = Number(group.num_rows); left > 0;) {
        const rows = Math.min(left, BATCH_ROWS);
        for (const reader of readers) await reader.fill(rows);
        yield Array.from({ length: rows }, () => this.record());
        left -= rows;
      }
      for (const reader of readers) reader.close();
    }
  }

  private record(): FileRecord {
    this.row += 1;
    const values = newRecord();
    const errors: string[] = [];
    for (const { property, part } of this.columns) {
      this.problems.first = undefined;
      const value = part.read();
      const { first } = this.problems as { readonly first: string | undefined };
      if (first === undefined) values[property.name] = value;
      else errors.push(columnProblem(property.name, first));
    }
    if (errors.length === 0) return { row: this.row, values };
    return { row: this.row, error: errors.join('; '), readable: values };
  }
}
