import { columnProblem, propertyNameOf, shownName } from '@penstock/files';
import { newRecord, type Property, type Value } from '@penstock/schema';
import type { DatabaseColumns, DatabaseRecord } from './database';
import { DatabaseFault } from './database-fault';
import { BadValue, type Counterpart, type SourceColumn } from './source-column';

interface Reader<Raw> extends Counterpart<Raw> {
  readonly index: number;
  readonly property: Property;
}

const propertyOf = (
  name: string,
  { nullable, isRequired = false }: SourceColumn<never>,
  { type }: Pick<Counterpart<never>, 'type'>,
): Property => ({
  name,
  type,
  prefilled: '',
  createRequired: isRequired,
  updateRequired: false,
  readOptional: false,
  nullable,
  description: '',
});

/** The columns of a statement or a table that become properties, and how their values are read. */
export class ReadColumns<Raw> implements DatabaseColumns {
  readonly schema;
  readonly issues: readonly string[];
  private readonly readers: readonly Reader<Raw>[];

  /** @throws DatabaseFault InvalidQuery when no column can be read. */
  constructor(private readonly columns: readonly SourceColumn<Raw>[]) {
    const issues: string[] = [];
    const readers = new Map<string, Reader<Raw>>();
    for (const [index, column] of columns.entries()) {
      const problem = this.problemOf(column, readers);
      if (problem !== undefined)
        issues.push(
          `column ${String(index + 1)} (${shownName(column.name)}) is left out: ${problem}`,
        );
      else readers.set(propertyNameOf(column.name), this.readerOf(index, column));
    }
    if (readers.size === 0)
      throw new DatabaseFault(
        'InvalidQuery',
        ['there is no column that can be read', ...issues.slice(0, 1)].join(': '),
      );
    this.readers = Array.from(readers.values());
    this.schema = {
      kind: 'object' as const,
      properties: this.readers.map((each) => each.property),
    };
    this.issues = issues;
  }

  /** Keys in names of properties; those with a column that is left out are none. */
  keysOf(keys: readonly (readonly string[])[]): readonly (readonly string[])[] {
    const properties = new Map(
      this.readers.map(({ index, property }) => [this.columns[index]?.name, property.name]),
    );
    return keys
      .filter((key) => key.every((name) => properties.has(name)))
      .map((key) => key.map((name) => properties.get(name) ?? name));
  }

  /**
   * Makes records of rows, whose values are those of all columns, left out ones included. A value that cannot be read
   * fails the record, and no other value.
   *
   * @param wanted names of the properties that are read; undefined: all.
   */
  recordReader(
    wanted?: ReadonlySet<string>,
  ): (row: number, raw: readonly (Raw | null)[]) => DatabaseRecord {
    const readers = this.readers.filter(({ property }) => wanted?.has(property.name) !== false);
    return (row, raw) => {
      const values = newRecord();
      let problems: string[] | undefined;
      for (const { index, property, read } of readers) {
        const value = raw[index] ?? null;
        try {
          values[property.name] = value === null ? this.nullOf(property) : read(value);
        } catch (error) {
          if (!(error instanceof BadValue)) throw error;
          (problems ??= []).push(columnProblem(property.name, error.message));
        }
      }
      if (problems === undefined) return { row, values };
      return { row, error: problems.join('; '), readable: values };
    };
  }

  private problemOf(
    { name, counterpart }: SourceColumn<Raw>,
    readers: ReadonlyMap<string, Reader<Raw>>,
  ): string | undefined {
    const property = propertyNameOf(name);
    if (property === '') return 'its name holds no letter or digit';
    if ('unsupported' in counterpart) return `type ${counterpart.unsupported} is not supported`;
    const other = readers.get(property)?.index;
    if (other === undefined) return undefined;
    return `it would become the property ${property}, as column ${String(other + 1)} does`;
  }

  private readerOf(index: number, column: SourceColumn<Raw>): Reader<Raw> {
    const { name, counterpart } = column;
    if ('unsupported' in counterpart) throw new TypeError('a column that is left out is not read');
    return {
      index,
      ...counterpart,
      property: propertyOf(propertyNameOf(name), column, counterpart),
    };
  }

  private nullOf({ nullable }: Property): Value {
    if (!nullable) throw new BadValue('is null');
    return null;
  }
}
