import { ExpressAdapter } from '@nestjs/platform-express';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { JsonStream, writeStream } from './json-stream';
import { type JsonText, jsonTextOf } from './json-text';

/** What a handler may return. */
type Answer = Json | JsonText | JsonStream | undefined;

/**
 * Express for the API: writes what a handler returns as compact JSON, with every digit of numbers; no body when it is
 * undefined. An adapter, since an interceptor would cost a quarter of a read.
 */
export class ApiAdapter extends ExpressAdapter {
  override reply(response: Response, answer: Answer, status?: number): Promise<void> | undefined {
    if (answer === undefined) {
      super.reply(response, undefined, status);
      return undefined;
    }
    if (status !== undefined) response.status(status);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (answer instanceof JsonStream) return writeStream(response, answer);
    response.send(jsonTextOf(answer).text);
    return undefined;
  }
}
