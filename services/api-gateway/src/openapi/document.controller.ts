import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Needs } from '../auth/access';
import { HttpRefusal } from '../http/http-refusal';
import { DOCUMENT_FILE } from './document-file';
import { DOCUMENT_PAGE, PAGE_SCRIPT } from './document-page';
import { Describe, Tagged } from './schema/describe';

/** Content security policy: the page loads from this server only; Swagger UI needs inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SWAGGER_UI = join(require.resolve('swagger-ui-dist/package.json'), '..');

const fromSwaggerUi = (name: string): (() => Buffer) => {
  let bytes: Buffer | undefined;
  return () => (bytes ??= readFileSync(join(SWAGGER_UI, name)));
};

/** Files of the page by name. */
const PARTS: ReadonlyMap<string, { readonly type: string; readonly bytes: () => Buffer | string }> =
  new Map([
    ['swagger-ui.css', { type: 'css', bytes: fromSwaggerUi('swagger-ui.css') }],
    ['swagger-ui-bundle.js', { type: 'js', bytes: fromSwaggerUi('swagger-ui-bundle.js') }],
    ['page.js', { type: 'js', bytes: () => PAGE_SCRIPT }],
  ]);

/** The API's document, for programs and for people. */
@Tagged('Document')
@Controller('v1')
@Needs('public')
export class DocumentController {
  private readonly document = readFileSync(DOCUMENT_FILE, 'utf8');

  @Describe('Get API document', { description: 'In OpenAPI 3.1.', answer: 'OpenApiDocument' })
  @Get('openapi.json')
  json(@Res() response: Response): void {
    response.type('application/json').send(this.document);
  }

  @Get('docs')
  @Header('Content-Security-Policy', POLICY)
  page(@Res() response: Response): void {
    response.type('html').send(DOCUMENT_PAGE);
  }

  @Get('docs/:part')
  part(@Param('part') name: string, @Res() response: Response): void {
    const part = PARTS.get(name);
    if (part === undefined) throw new HttpRefusal('NotFound');
    response.type(part.type).set('Cache-Control', 'max-age=3600').send(part.bytes());
  }
}
