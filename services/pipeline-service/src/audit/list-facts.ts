import {
  type AuditedFact,
  type ConfigurationState,
  type Queries,
  Refusal,
} from '@penstock/contracts';
import { FactHistory, type FactFilter, type HistoricalFact } from '@penstock/event-sourcing';
import { MAX_VALUE_BYTES } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';

/** Bytes of all facts in one answer, which is one message. */
export const MAX_PAGE_BYTES = MAX_VALUE_BYTES - 10_000;
const FACTS_PER_READ = 50;

/** Lists who changed what in the configuration and when, from the facts, newest first. */
@Controller()
export class ListFacts {
  constructor(private readonly history: FactHistory) {}

  /** A page ends before its limit where it would become too large for an answer. */
  @Handles('ListFacts')
  async handle(
    @Payload() { context, in: input }: RequestFor<'ListFacts'>,
  ): Promise<Queries['ListFacts']['out']> {
    const { limit, cursor, ofOrganization, ...filter } = input;
    const { workspace, organization } = context;
    const owners = ofOrganization ? [workspace, organization] : [workspace];
    const page: AuditedFact[] = [];
    let bytes = 0;
    for await (const fact of this.from({ ...filter, owners, before: positionIn(cursor) })) {
      bytes += bytesOf(fact);
      if (page.length === limit || (page.length > 0 && bytes > MAX_PAGE_BYTES))
        return { facts: page, cursor: String(page.at(-1)?.position) };
      page.push(fact);
    }
    return { facts: page, cursor: '' };
  }

  private async *from(filter: FactFilter): AsyncGenerator<AuditedFact> {
    for (let before = filter.before; ;) {
      const found = await this.history.find({ ...filter, before }, FACTS_PER_READ);
      for (const fact of found) yield fitting(audited(fact));
      before = found.at(-1)?.position;
      if (found.length < FACTS_PER_READ) return;
    }
  }
}

/** @throws Refusal BadRequest for a text that is not a cursor of a list. */
export const positionIn = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

const audited = ({ state, before, owner: _, ...fact }: HistoricalFact): AuditedFact => ({
  ...fact,
  before: before as ConfigurationState | null,
  after: state as ConfigurationState,
  isCut: false,
});

const bytesOf = (fact: AuditedFact): number => Buffer.byteLength(JSON.stringify(fact));

/** Leaves out the states of a fact that does not fit into an answer with them. */
const fitting = (fact: AuditedFact): AuditedFact =>
  bytesOf(fact) <= MAX_PAGE_BYTES ? fact : { ...fact, before: null, after: null, isCut: true };
