import type { Value } from '@penstock/schema';
import type { Client } from 'pg';
import { parse } from 'postgres-array';
import { checkNestedText } from '../database/nested-text';
import { BadValue, type Counterpart, type Unsupported } from '../database/source-column';
import { builtInCounterpart, enumCounterpart } from './column-types';

/** A type in the catalogue. */
interface CatalogueType {
  readonly oid: number;
  readonly name: string;
  readonly isEnum: boolean;
  readonly isText: boolean;
  /** OID of the type of its elements; 0: it is no array. */
  readonly element: number;
  readonly labels: readonly string[];
}

/** Source: PostgreSQL, 2147483647 elements are more than an array may have. */
const MAX_ELEMENTS = 2_147_483_647;

/**
 * `citext` is a text of an extension. An array is what its elements name as theirs: `int2vector` and `oidvector` are of
 * the category of arrays too, and are written in another form.
 */
const CATALOGUE = `
  SELECT t.oid::int8::text, format_type(t.oid, NULL) AS name, t.typtype = 'e' AS "isEnum",
    t.typname = 'citext' AS "isText",
    coalesce((SELECT e.oid FROM pg_catalog.pg_type e
      WHERE e.oid = t.typelem AND e.typarray = t.oid), 0)::int8::text AS element,
    ARRAY(SELECT enumlabel::text FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid
      ORDER BY e.enumsortorder) AS labels
  FROM pg_catalog.pg_type t
  WHERE t.oid = ANY ($1::oid[])
    OR t.oid IN (SELECT typelem FROM pg_catalog.pg_type WHERE oid = ANY ($1::oid[]))`;

type CatalogueRow = Omit<CatalogueType, 'oid' | 'element'> & {
  readonly oid: string;
  readonly element: string;
};

const readElements = (text: string, element: Counterpart<string>): readonly Value[] => {
  checkNestedText(text);
  const read = (each: string): Value => element.read(each);
  return parse(text, read).map((each: Value | undefined) => {
    if (each === null || each === undefined) throw new BadValue('has an element that is null');
    if (Array.isArray(each)) throw new BadValue('is an array of several dimensions');
    return each;
  });
};

const arrayOf = (element: Counterpart<string>): Counterpart<string> => ({
  type: {
    kind: 'array',
    elementType: element.type,
    minElements: 0,
    maxElements: MAX_ELEMENTS,
    uniqueElements: false,
  },
  read: (text) => readElements(text, element),
  ...(element.fractionDigits !== undefined && { fractionDigits: element.fractionDigits }),
});

/** What types of columns become, built-in ones and those of the catalogue. */
export class DescribedTypes {
  /** Looks up the types that are not built in. */
  static async of(client: Client, oids: readonly number[]): Promise<DescribedTypes> {
    const unknown = [...new Set(oids)].filter((oid) => builtInCounterpart(oid, -1) === undefined);
    if (unknown.length === 0) return new DescribedTypes(new Map());
    const { rows } = await client.query<CatalogueRow>(CATALOGUE, [unknown]);
    const types = rows.map(({ oid, element, ...type }) => ({
      ...type,
      oid: Number(oid),
      element: Number(element),
    }));
    return new DescribedTypes(new Map(types.map((type) => [type.oid, type])));
  }

  private constructor(private readonly catalogue: ReadonlyMap<number, CatalogueType>) {}

  /** @param modifier what the column adds to its type, such as a length; -1: nothing. */
  counterpart(oid: number, modifier: number): Counterpart<string> | Unsupported {
    const builtIn = builtInCounterpart(oid, modifier);
    if (builtIn !== undefined) return builtIn;
    const type = this.catalogue.get(oid);
    if (type === undefined) return { unsupported: String(oid) };
    if (type.isEnum) return enumCounterpart(type.labels);
    if (type.isText) return { type: { kind: 'string' }, read: (text) => text };
    if (type.element === 0) return { unsupported: type.name };
    const element = this.counterpart(type.element, modifier);
    return 'unsupported' in element ? { unsupported: type.name } : arrayOf(element);
  }
}
