import { Controller, Get, Param, Query } from '@nestjs/common';
import type { DeliveryCounts } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { includes } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import type { QueryParameters } from '../validation/page';
import {
  DELIVERIES_FILTER,
  DELIVERIES_QUERY,
  deliveriesPage,
  deliveriesWanted,
} from './deliveries-query';
import { countJson, deliveryJson, wholeDeliveryJson } from './delivery-json';

/** Deliveries that wait or have not succeeded. Any router answers, so that the requests are spread by their ids. */
@Tagged('Deliveries')
@Controller('v1/pipelines/deliveries')
export class DeliveriesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListDeliveries', 'List deliveries', {
    description:
      'Those that were rejected or parked, and those that wait in the store for another attempt, newest first by the ' +
      'time at which their events were received. `from` and `to` are about that time too.',
    answer: 'DeliveryList',
    query: DELIVERIES_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = deliveriesPage(query);
    const { deliveries, cursor } = await this.pipelineService.query(
      'ListDeliveries',
      metadata.requestId,
      page,
      metadata,
    );
    return jsonObject({ deliveries: deliveries.map(deliveryJson), cursor });
  }

  @Performs('CountDeliveries', 'Count deliveries', {
    description: 'How many there are in the list of deliveries, by state and code.',
    answer: 'DeliveryCounts',
    query: DELIVERIES_FILTER,
  })
  @Get('counts')
  async count(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { counts, pipelines, isCut } = await this.pipelineService.query(
      'CountDeliveries',
      metadata.requestId,
      deliveriesWanted(query),
      metadata,
    );
    return jsonObject<keyof DeliveryCounts>({
      counts: counts.map(countJson),
      pipelines: pipelines.map(countJson),
      isCut,
    });
  }

  @Performs('GetDelivery', 'Get delivery', {
    description:
      'With the event as it was accepted and an excerpt of what the destination has answered. A key of scope `read` sees ' +
      'all values masked; any other access is recorded in the access log before it is answered.',
    answer: 'WholeDelivery',
  })
  @Get(':id')
  async get(@Metadata() metadata: RequestMetadata, @Param('id') id: string): Promise<Json> {
    const withValues = includes(metadata.caller.scope, 'write');
    const wanted = { id, withValues };
    const { requestId } = metadata;
    return wholeDeliveryJson(
      await this.pipelineService.query('GetDelivery', requestId, wanted, metadata),
    );
  }
}
