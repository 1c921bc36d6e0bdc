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

/** How a value of a kind is held; what is not listed, as text. */
type Held<K extends Kind> = K extends keyof InMemory ? InMemory[K] : string;

/** JSON is looked into, so it comes parsed; JSON null only where the destination is json. */
type Given<K extends Kind> = K extends 'json' ? Json : Held<K>;

/** `null`: the value counts as null at the destination. `undefined`: it does not convert. */
export type Converted<V extends Value = Value> = V | null | undefined;

/** Converts a value that is not null. */
export type Convert = (value: NonNullable<Value>) => Converted;

/** Converts JSON; JSON null is JSON null for a json destination and null for any other. */
export type ConvertJson = (json: Json) => Converted;

/** How a cell converts what is inside; undefined where the types do not convert. */
export interface Inner {
  readonly converter: (from: Type, to: Type) => Convert | undefined;
  readonly jsonConverter: (to: Type) => ConvertJson;
}

/** One pair of kinds: gives the conversion between two types, or undefined where it is refused. */
export type Cell<From extends Kind, To extends Kind> = (
  from: TypeOf<From>,
  to: TypeOf<To>,
  inner: Inner,
) => ((value: Given<From>) => Converted<Held<To>>) | undefined;

/** All that converts, or is refused, to one kind. */
export type Column<To extends Kind> = { readonly [From in Kind]: Cell<From, To> };

export const refused = () => undefined;
