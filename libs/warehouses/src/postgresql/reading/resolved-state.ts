import type { ProfileFact } from '@penstock/contracts';
import type { Client } from 'pg';
import type {
  FactInHistory,
  ProfileAlias,
  ResolvedHead,
  ResolvedIdentity,
  ResolvedProfile,
  ResolvedState,
} from '../../platform/resolved-reads';
import type { RecordedProfileFact } from '../../platform/resolver';
import { withinLimits } from '../sql/within-limits';
import { isText, memberOf, type Row } from './rows';
import {
  type PagedTable,
  RESOLVED,
  rowsOf,
  selectPage,
  selectResolvedHead,
  type Place,
} from './select-resolved';

/** What an answer may have, in MiB: one fact may name very many profiles. */
const MAX_ANSWER_MIB = 256;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isId = (value: unknown): value is string => isText(value) && UUID.test(value);
const isIdOrNull = (value: unknown): value is string | null => value === null || isId(value);
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || isNumber(value);
const isNumeral = (value: unknown): value is string => isText(value) && /^\d{1,16}$/.test(value);
/** Whoever takes it looks at what is in it. */
const isFact = (value: unknown): value is ProfileFact =>
  typeof value === 'object' && value !== null;

const member = memberOf('data warehouse');

const numberIn = (row: Row, name: string): number => Number(member(row, name, isNumeral));

/** In a transaction that sees one moment. */
export class PostgresqlResolvedState implements ResolvedState {
  constructor(
    private readonly client: Client,
    private readonly schema: string,
    private readonly signal: AbortSignal,
  ) {}

  async head(): Promise<ResolvedHead> {
    const [row = {}] = await this.rows(selectResolvedHead(this.schema));
    const newest = member(row, 'newest', isNumberOrNull) ?? undefined;
    return { madeAtMs: member(row, 'made', isNumber), newest };
  }

  facts(): AsyncGenerator<readonly RecordedProfileFact[]> {
    return this.pages(RESOLVED.facts, (row) => ({
      number: member(row, 'place_0', isNumeral),
      atMs: member(row, 'at_ms', isNumber),
      fact: member(row, 'fact', isFact),
    }));
  }

  identities(): AsyncGenerator<readonly ResolvedIdentity[]> {
    return this.pages(RESOLVED.identities, (row) => ({
      number: numberIn(row, 'place_0'),
      profile: member(row, 'profile', isIdOrNull),
    }));
  }

  profiles(): AsyncGenerator<readonly ResolvedProfile[]> {
    return this.pages(RESOLVED.profiles, (row) => ({
      profile: member(row, 'place_0', isId),
      identities: member(row, 'identities', isNumber),
    }));
  }

  aliases(): AsyncGenerator<readonly ProfileAlias[]> {
    return this.pages(RESOLVED.aliases, (row) => ({
      alias: member(row, 'place_0', isId),
      profile: member(row, 'profile', isId),
    }));
  }

  history(): AsyncGenerator<readonly FactInHistory[]> {
    return this.pages(RESOLVED.history, (row) => ({
      profile: member(row, 'place_0', isId),
      number: numberIn(row, 'place_2'),
    }));
  }

  unresolved(): AsyncGenerator<readonly { readonly profile: string }[]> {
    return this.pages(RESOLVED.unresolved, (row) => ({ profile: member(row, 'profile', isId) }));
  }

  private async *pages<T>(paged: PagedTable, read: (row: Row) => T): AsyncGenerator<readonly T[]> {
    for (let after: Place | undefined; ;) {
      const rows = await this.rows(selectPage(this.schema, paged, after));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(read);
      if (rows.length < rowsOf(paged)) return;
      after = paged.key.map((_, nth) => member(last, `place_${String(nth)}`, isText));
    }
  }

  private async rows(statement: string): Promise<readonly Row[]> {
    const read = async () => (await this.client.query<Row>(statement)).rows;
    return withinLimits(this.client, this.signal, read, MAX_ANSWER_MIB);
  }
}
