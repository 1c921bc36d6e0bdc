import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isJsonObject } from '@penstock/schema';
import { requestOf } from '../auth/caller';
import { malformed, readJson } from '../http/read-json';
import { withBody } from '../validation/json-body';

/**
 * Injects the one message of JSON-RPC that the body of a request is. A batch is refused: it would be any number of requests for
 * the rate of one, and the protocol has none any more.
 */
export const McpMessage = (): ParameterDecorator =>
  withBody(
    { shape: Object, isRequired: true },
    createParamDecorator((_: undefined, context: ExecutionContext): unknown => {
      const { content } = requestOf(context);
      const json = readJson(content);
      if (json === undefined) throw malformed('', 'a body is required');
      if (!isJsonObject(json)) throw malformed('', 'must be an object');
      return JSON.parse(content.toString('utf8'));
    })(),
  );
