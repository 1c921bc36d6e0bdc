import { Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import { type Json, type JsonObject, maskedValues, parseJson, writeJson } from '@penstock/schema';
import { includes } from '../auth/access';
import { connectionId } from '../connections/connection-id';
import { jsonObject } from '../http/json-object';
import { textOrNull } from '../http/json-text';
import { malformed } from '../http/read-json';
import { EVENT_EXAMPLE } from '../openapi/components/event';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { EVENT_TYPE } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody } from '../validation/json-body';
import { parameter, type QueryParameters } from '../validation/page';
import { AnObject, Characters, OptionalOrNull } from '../validation/shape';
import { schemaAnswer } from './schema-answer';
import { USERS_QUERY, usersQuery } from './users-query';

/** Checks the shape only. The pipeline service, which knows the event type, checks the members. */
@Example({
  type: 'send_identity',
  event: EVENT_EXAMPLE,
})
export class PreviewSendEventDto {
  @Characters(1, 100) readonly type!: string;

  @AnObject('Event') readonly event!: JsonObject;

  @OptionalOrNull() @AnObject('PreviewTransformation') readonly transformation?: JsonObject | null;

  @OptionalOrNull() @AnObject('Schema') readonly outSchema?: JsonObject | null;
}

/** Previews of and reads from the application behind a connection. */
@Tagged('Applications')
@Controller('v1/connections/:id')
export class ApplicationsController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('GetEventTypeSchema', 'Get event type schema', {
    answer: 'EventTypeSchema',
    query: [EVENT_TYPE],
  })
  @Get('schemas/event')
  async eventTypeSchema(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const eventType = parameter(query, 'type') ?? '';
    if (eventType === '') throw malformed('/type', 'is required');
    const connection = connectionId(path);
    const input = { connection, eventType };
    const { schema } = await this.pipelineService.query(
      'GetEventTypeSchema',
      connection,
      input,
      metadata,
    );
    return jsonObject({ schema: schemaAnswer(schema) });
  }

  @Performs('GetUserSchemas', 'Get application user schemas', { answer: 'UserSchemas', query: [] })
  @Get('schemas/user')
  async userSchemas(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
  ): Promise<Json> {
    const connection = connectionId(path);
    const input = { connection };
    const schemas = await this.pipelineService.query('GetUserSchemas', connection, input, metadata);
    const source = schemaAnswer(schemas.source);
    const destination = schemaAnswer(schemas.destination);
    return jsonObject({ schemas: jsonObject({ source, destination }) });
  }

  @Performs('ListApplicationUsers', 'List application users', {
    description:
      'Reads a page of users directly from the application. A key of scope `read` sees all values masked, and cannot filter by them.',
    answer: 'UserList',
    query: USERS_QUERY,
  })
  @Get('users')
  async users(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const withValues = includes(metadata.caller.scope, 'write');
    const wanted = usersQuery(query, withValues);
    const connection = connectionId(path);
    const input = { connection, ...wanted };
    const set = await this.pipelineService.query(
      'ListApplicationUsers',
      connection,
      input,
      metadata,
    );
    const users = set.users.map((user) => parseJson(withValues ? user : maskedValues(user)));
    return jsonObject({ users, cursor: set.cursor });
  }

  @Performs('PreviewSendEvent', 'Preview send event', {
    description: 'Returns the request that would be sent. Nothing is sent.',
    answer: 'Preview',
  })
  @RepeatablePost('preview-send-event')
  @HttpCode(200)
  async previewSendEvent(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(PreviewSendEventDto) body: PreviewSendEventDto,
  ): Promise<Json> {
    const connection = connectionId(path);
    const input = {
      connection,
      eventType: body.type,
      event: writeJson(body.event),
      transformation: textOrNull(body.transformation),
      outSchema: textOrNull(body.outSchema),
    };
    const { preview, console } = await this.pipelineService.query(
      'PreviewSendEvent',
      connection,
      input,
      metadata,
    );
    return jsonObject({ preview, console });
  }
}
