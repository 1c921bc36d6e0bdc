import type { ParquetType } from 'hyparquet';

/** A value of a file that no value of its type can be, and why. */
export class BadValue {
  constructor(readonly reason: string) {}
}

/** A column of scalars, as one group of rows stores it. */
export interface Leaf {
  readonly type: ParquetType;
  /** Bytes of a value of fixed length. */
  readonly typeLength: number | undefined;
  readonly codec: string;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** Makes a value in memory of a stored one, or a {@link BadValue}. */
  readonly convert: (raw: unknown) => unknown;
}
