import {
  type AuditedFact,
  type ChainHeads,
  type ConfigurationState,
  type Queries,
  Refusal,
  type Request,
} from '@penstock/contracts';
import { FactHistory, type FactFilter, type HistoricalFact } from '@penstock/event-sourcing';
import { MAX_VALUE_BYTES } from '@penstock/messaging';
import { Injectable } from '@nestjs/common';

/** Of the facts of one answer: it is one message. */
const MAX_PAGE_BYTES = MAX_VALUE_BYTES - 10_000;
const FACTS_A_READ = 50;

type Wanted = Queries['ListFacts']['in'];
type HeadWanted = Queries['GetAuditHead']['in'];
type Page = Queries['ListFacts']['out'];

/** @throws Refusal BadRequest for a cursor that no list has answered. */
const positionIn = (cursor: string): number | undefined => {
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

/** The fact as it fits into an answer. */
const fitting = (fact: AuditedFact): AuditedFact =>
  bytesOf(fact) <= MAX_PAGE_BYTES ? fact : { ...fact, before: null, after: null, isCut: true };

/** Who changed what, and when: answered from the facts themselves. */
@Injectable()
export class Audit {
  constructor(private readonly history: FactHistory) {}

  /** Newest first. A page ends before its limit where it would become too large for an answer. */
  async facts({
    context: { workspace, organization },
    in: { limit, cursor, ofOrganization, ...wanted },
  }: Request<Wanted>): Promise<Page> {
    const owners = ofOrganization ? [workspace, organization] : [workspace];
    const page: AuditedFact[] = [];
    let bytes = 0;
    for await (const fact of this.from({ ...wanted, owners, before: positionIn(cursor) })) {
      bytes += bytesOf(fact);
      if (page.length === limit || (page.length > 0 && bytes > MAX_PAGE_BYTES))
        return { facts: page, cursor: String(page.at(-1)?.position) };
      page.push(fact);
    }
    return { facts: page, cursor: '' };
  }

  /** Where the chains end now. */
  async head({
    context: { workspace, organization },
    in: { ofOrganization },
  }: Request<HeadWanted>): Promise<ChainHeads> {
    const heads = await this.history.chainHeads([workspace, organization]);
    return {
      workspace: heads.get(workspace) ?? null,
      organization: (ofOrganization ? heads.get(organization) : undefined) ?? null,
    };
  }

  private async *from(filter: FactFilter): AsyncGenerator<AuditedFact> {
    for (let before = filter.before; ;) {
      const found = await this.history.find({ ...filter, before }, FACTS_A_READ);
      for (const fact of found) yield fitting(audited(fact));
      before = found.at(-1)?.position;
      if (found.length < FACTS_A_READ) return;
    }
  }
}
