import { Controller, Get, Query } from '@nestjs/common';
import type { AuditedFact } from '@penstock/contracts';
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

/** Who changed what in the configuration, and when. */
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
    // A key that is bound to a workspace sees nothing of what stands above it.
    const wanted = { ...factsWanted(query), ofOrganization: boundTo === null };
    const { facts, cursor } = await this.pipelineService.query(
      'ListFacts',
      workspace,
      wanted,
      metadata,
    );
    return jsonObject({ facts: facts.map((fact) => this.show(fact)), cursor });
  }

  private show({ stream, before, after, ...fact }: AuditedFact): Json {
    const [kind = '', ...id] = stream.split('-');
    return jsonObject<FactMember>({
      position: jsonInteger(fact.position),
      time: fact.time,
      actor: fact.actor,
      requestId: fact.requestId,
      causation: fact.causation,
      type: fact.type,
      object: jsonObject({ kind, id: id.join('-') }),
      version: jsonInteger(fact.version),
      before: this.states.show(before),
      after: this.states.show(after),
      isCut: fact.isCut ? true : undefined,
    });
  }
}
