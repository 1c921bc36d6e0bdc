import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Json } from '@penstock/schema';
import { connectionId } from '../connections/connection-id';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { pageOf, type QueryParameters } from '../validation/page';
import { IDENTITIES_QUERY, identityJson } from './identity-json';

/** The identities of a connection in the warehouse. */
@Tagged('Profiles')
@Controller('v1/connections/:id/identities')
export class ConnectionIdentitiesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListConnectionIdentities', 'List identities of a connection', {
    description: [
      'What the pipelines of the connection have written into the warehouse: a record of the source each. That which was',
      'made last is the first. Identities that are written between two pages move no others; one that is updated stays.',
      'A page may be shorter than `limit` when its identities are large. A cursor is valid for 24 hours. A destination has no',
      'identities.',
    ].join(' '),
    answer: 'IdentityList',
    query: IDENTITIES_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = pageOf(query);
    const connection = connectionId(path);
    const { identities, cursor } = await this.pipelineService.query(
      'ListConnectionIdentities',
      connection,
      { ...page, connection },
      metadata,
    );
    return jsonObject({ identities: identities.map(identityJson), cursor });
  }
}
