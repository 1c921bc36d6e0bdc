import { Controller, Get, Query } from '@nestjs/common';
import type { AuditedFact, ChainHead, ChainHeads } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { EvenDeleted } from '../auth/access';
import { jsonInteger, jsonObject } from '../http/json-object';
import type { FactMember } from '../openapi/components/administration';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import type { QueryParameters } from '../validation/page';
import { AuditedStates } from './audited-states';
import { FACTS_QUERY, factsWanted } from './facts-wanted';

const headJson = (head: ChainHead | null): Json =>
  head && jsonObject<keyof ChainHead>({ position: jsonInteger(head.position), hash: head.hash });

/** Facts of the configuration: who changed what, and when. */
@Tagged('Audit')
@Controller('v1/audit')
@EvenDeleted()
export class AuditController {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly states: AuditedStates,
  ) {}

  @Performs('ListFacts', 'List facts', {
    description: 'Who changed what in the configuration, newest first.',
    answer: 'AuditedFactList',
    query: FACTS_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { workspace, boundTo } = metadata.caller;
    // A key that is bound to a workspace does not see facts of the organization.
    const wanted = { ...factsWanted(query), ofOrganization: boundTo === null };
    const { facts, cursor } = await this.pipelineService.query(
      'ListFacts',
      workspace,
      wanted,
      metadata,
    );
    return jsonObject({ facts: facts.map((fact) => this.show(fact)), cursor });
  }

  @Performs('GetAuditHead', 'Get audit head', {
    description:
      'The hash of the newest fact of the workspace, and of the organization where the key is not bound to a workspace. ' +
      'Whoever keeps it sees later whether a fact up to it was altered or removed.',
    answer: 'AuditHead',
  })
  @Get('head')
  async head(@Metadata() metadata: RequestMetadata): Promise<Json> {
    const { workspace, boundTo } = metadata.caller;
    const { workspace: own, organization } = await this.pipelineService.query(
      'GetAuditHead',
      workspace,
      { ofOrganization: boundTo === null },
      metadata,
    );
    return jsonObject<keyof ChainHeads>({
      workspace: headJson(own),
      organization: headJson(organization),
    });
  }

  private show({ stream, before, after, ...fact }: AuditedFact): Json {
    const [kind = '', ...id] = stream.split('-');
    return jsonObject<FactMember>({
      position: jsonInteger(fact.position),
      time: fact.time,
      actor: fact.actor,
      requestId: fact.requestId,
      causation: fact.causation,
      hash: fact.hash,
      type: fact.type,
      object: jsonObject({ kind, id: id.join('-') }),
      version: jsonInteger(fact.version),
      before: this.states.show(before),
      after: this.states.show(after),
      isCut: fact.isCut ? true : undefined,
    });
  }
}
