import type { Json, JsonText, Kind, PlainType, RecordValue, Type, Value } from '@penstock/schema';

/** The type of one kind. */
type TypeOf<K extends Kind> = K extends PlainType['kind']
  ? PlainType & { readonly kind: K }
  : Extract<Type, { readonly kind: K }>;

interface InMemory {
  boolean: boolean;
  int: number | bigint;
  float: number;
  year: number;
  json: JsonText;
  array: readonly Value[];
  object: RecordValue;
  map: ReadonlyMap<string, Value>;
}

/** Representation of a kind in memory; text for kinds that are not listed. */
type Held<K extends Kind> = K extends keyof InMemory ? InMemory[K] : string;

/** Input of a conversion: json is passed parsed; JSON null only to a json destination. */
type Given<K extends Kind> = K extends 'json' ? Json : Held<K>;

/** `null`: the value counts as null at the destination. `undefined`: it does not convert. */
export type Converted<V extends Value = Value> = V | null | undefined;

/** Converts a value that is not null. */
export type Convert = (value: NonNullable<Value>) => Converted;

/** Converts JSON; JSON null becomes JSON null for a json destination and null for any other. */
export type ConvertJson = (json: Json) => Converted;

/** Converts the values inside; `converter` returns undefined when the types do not convert. */
export interface Inner {
  readonly converter: (from: Type, to: Type) => Convert | undefined;
  readonly jsonConverter: (to: Type) => ConvertJson;
}

/** A cell of the table: returns the conversion between two types, or undefined when it is not allowed. */
export type Cell<From extends Kind, To extends Kind> = (
  from: TypeOf<From>,
  to: TypeOf<To>,
  inner: Inner,
) => ((value: Given<From>) => Converted<Held<To>>) | undefined;

/** All conversions to one kind. */
export type Column<To extends Kind> = { readonly [From in Kind]: Cell<From, To> };

export const refused = () => undefined;
