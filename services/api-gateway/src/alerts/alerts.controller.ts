import { Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { type AlertId, type Instant, isIdForm, Refusal } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import type { AlertMember } from '../openapi/components/alerts';
import { Performs, Tagged } from '../openapi/schema/describe';
import { PAGE, SEARCH } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { type Answered, JsonBody } from '../validation/json-body';
import { pageOf, type QueryParameters, searchOf } from '../validation/page';
import {
  checkUnchanged,
  type Replacement,
  ReplacingBody,
  SENT_BACK,
} from '../validation/replacing-body';
import { AsOfTime } from '../validation/time-parameter';
import { AlertRecords, notificationJson } from './alert-records';
import { CreateAlertDto, inputOf, UpdateAlertDto } from './alert.dto';

const ANSWERED: Answered = {
  component: 'Alert',
  unchanged: ['id', 'kind'] satisfies AlertMember[],
  ignored: ['version'],
};

/** @throws Refusal AlertNotExist for a text that does not have the form of an id. */
const alertId = (text: string): AlertId => {
  if (!isIdForm(text)) throw new Refusal('AlertNotExist');
  return text as AlertId;
};

@Tagged('Alerts')
@Controller('v1/alerts')
export class AlertsController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly records: AlertRecords,
  ) {}

  @Performs('ListAlerts', 'List alerts', { answer: 'AlertList', query: [SEARCH, ...PAGE] })
  @Get()
  list(@Metadata() { caller }: RequestMetadata, @Query() query: QueryParameters): Json {
    const list = this.reads.get('ListAlerts', searchOf(query), caller);
    const alerts = list.alerts.map((view) => this.records.show(view, caller.workspace));
    return jsonObject({ alerts, cursor: list.cursor });
  }

  @Performs('CreateAlert', 'Create alert', {
    description: [
      'Sends a notification to a webhook when a condition begins to hold, and another when it no longer does. Kind `health`:',
      'a connection or a pipeline is Failing or Paused. `deadLetterRate`: at least `threshold` percent of the endings of a',
      'pipeline within `window` minutes (5, 15 or 60; default 5) were dead letters. `lag`: the oldest event of a pipeline has',
      'waited for `threshold` seconds. With `connection`, only that connection and its pipelines; with `pipeline`, only that',
      'pipeline; at most one of them is given.',
    ].join(' '),
    answer: 'Created',
  })
  @RepeatablePost()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreateAlertDto) body: CreateAlertDto,
  ): Promise<Json> {
    const id = newId() as AlertId;
    const command = {
      id,
      alertKind: body.kind,
      ...inputOf(body),
      webhook: this.records.seal(body.webhook, metadata.caller.workspace),
    };
    const created = await this.pipelineService.execute('CreateAlert', id, command, metadata);
    return jsonObject({ id: created.id });
  }

  @Performs('GetAlert', 'Get alert', { answer: 'Alert', asOf: 'GetAlertAsOf' })
  @Get(':id')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @AsOfTime() at: Instant | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const id = alertId(path);
    const view =
      at === undefined
        ? this.reads.get('GetAlert', { id }, metadata.caller)
        : await this.pipelineService.query('GetAlertAsOf', id, { id, at }, metadata);
    setETag(response, view.version);
    return this.records.show(view, metadata.caller.workspace);
  }

  @Performs('UpdateAlert', 'Update alert', {
    description: `A masked secret that is sent back keeps the present one; an omitted webhook and enabled are kept. ${SENT_BACK}`,
  })
  @Put(':id')
  async update(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @ReplacingBody(UpdateAlertDto, ANSWERED) { body, sentBack }: Replacement<UpdateAlertDto>,
  ): Promise<void> {
    const id = alertId(path);
    const { caller } = metadata;
    checkUnchanged(sentBack, metadata.expectedVersion, () => {
      const view = this.reads.get('GetAlert', { id }, caller);
      return { version: view.version, json: this.records.show(view, caller.workspace) };
    });
    const { webhook } = body;
    const command = {
      id,
      ...inputOf(body),
      ...(webhook !== undefined && { webhook: this.records.seal(webhook, caller.workspace) }),
    };
    await this.pipelineService.execute('UpdateAlert', id, command, metadata);
  }

  @Performs('DeleteAlert', 'Delete alert', {
    description: 'Notifications that have not been sent yet are given up.',
  })
  @Delete(':id')
  async delete(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<void> {
    const id = alertId(path);
    await this.pipelineService.execute('DeleteAlert', id, { id }, metadata);
  }

  @Performs('ListAlertNotifications', 'List alert notifications', {
    description: 'What the alert has to send or has sent, newest first.',
    answer: 'AlertNotificationList',
    query: PAGE,
  })
  @Get(':id/notifications')
  async notifications(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = pageOf(query);
    const alert = this.reads.get('GetAlert', { id: alertId(path) }, metadata.caller).id;
    const list = await this.pipelineService.query(
      'ListAlertNotifications',
      metadata.requestId,
      { ...page, alert },
      metadata,
    );
    const notifications = list.notifications.map(notificationJson);
    return jsonObject({ notifications, cursor: list.cursor });
  }
}
