import { Controller, Get, Param } from '@nestjs/common';
import { type ConservationView, END_STATES } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { eventPipeline } from '../pipelines/event-pipeline';
import { Reads } from '../reads/reads';

/** Proof that no event of a pipeline is lost. */
@Tagged('Deliveries')
@Controller('v1/pipelines/:id')
export class ConservationController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('GetConservation', 'Get conservation', {
    description:
      'What became of all events that were accepted for the pipeline since it was created: `accepted` is the sum of the ' +
      'endings and of what is open, at one moment. An event is counted once a router has read it: while the destination catches up, ' +
      '`behind` is how many records of the log it has yet to read.',
    answer: 'Conservation',
  })
  @Get('conservation')
  async get(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<Json> {
    const pipeline = eventPipeline(this.reads, path, metadata.caller);
    const { id } = pipeline;
    const connection = pipeline.connectionRole === 'Source' ? null : pipeline.connection;
    const { accepted, endings, open, behind } = await this.pipelineService.query(
      'GetConservation',
      metadata.requestId,
      { pipeline: id, connection },
      metadata,
    );
    const ended = END_STATES.map((state) => [state, jsonInteger(endings[state])] as const);
    return jsonObject<keyof ConservationView>({
      accepted: jsonInteger(accepted),
      endings: jsonObject(Object.fromEntries(ended)),
      open: jsonInteger(open),
      behind: jsonInteger(behind),
    });
  }
}
