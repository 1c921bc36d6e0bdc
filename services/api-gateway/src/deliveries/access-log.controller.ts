import { Controller, Get, Query } from '@nestjs/common';
import type { AccessView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { cursorLike, LIMIT } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { pageOf, type QueryParameters } from '../validation/page';

/** Who has seen values of events. */
@Tagged('Deliveries')
@Controller('v1/access-log')
export class AccessLogController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListAccesses', 'List accesses', {
    description:
      'Which API key has seen the values of which delivery or event, and when; newest first.',
    answer: 'AccessList',
    query: [LIMIT, cursorLike('^[0-9]{0,15}$')],
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { accesses, cursor } = await this.pipelineService.query(
      'ListAccesses',
      metadata.requestId,
      pageOf(query),
      metadata,
    );
    return jsonObject({
      accesses: accesses.map((access) => jsonObject<keyof AccessView>({ ...access })),
      cursor,
    });
  }
}
