import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ConfigurationReplica } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import type { Request, Response } from 'express';
import { Needs } from '../auth/access';
import { WriteKeys } from '../connections/write-keys';
import { HttpRefusal } from '../http/http-refusal';
import { jsonObject } from '../http/json-object';
import { Demo } from './demo';
import type { DemoTrail } from './demo-trail';
import { isOwnHost } from './is-own-host';

/** Folder of the page's files, the same from the sources and from the build of this service. */
const PAGES = join(__dirname, '..', '..', 'pages');

/** Content security policy: everything comes from this server, and no text is ever parsed as HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Pages of other origins get nothing of these answers: no CORS, no embedding, no guessing of types. */
const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Page that follows events through the pipelines of the demo; 404 without a demo. It needs no key: whoever may see it
 * may also send events to the demo's source.
 */
@Controller('demo')
@Needs('public')
export class DemoController {
  constructor(
    private readonly demo: Demo,
    private readonly replica: ConfigurationReplica,
    private readonly writeKeys: WriteKeys,
  ) {}

  @Get()
  page(@Req() request: Request, @Res() response: Response): void {
    this.open(request, response);
    response.type('html').send(readFileSync(join(PAGES, 'demo.html')));
  }

  @Get('demo.js')
  script(@Req() request: Request, @Res() response: Response): void {
    this.open(request, response);
    response.type('js').send(readFileSync(join(PAGES, 'demo.js')));
  }

  @Get('demo.css')
  style(@Req() request: Request, @Res() response: Response): void {
    this.open(request, response);
    response.type('css').send(readFileSync(join(PAGES, 'demo.css')));
  }

  /** The write key with which the page sends events; `null` when no source that takes events is linked any more. */
  @Get('source')
  source(@Req() request: Request, @Res({ passthrough: true }) response: Response): Json {
    const { destination } = this.open(request, response);
    for (const id of this.replica.sourcesOf(destination)) {
      const source = this.replica.connection(id);
      const [key] = source?.writeKeys ?? [];
      if (source !== undefined && key !== undefined)
        return jsonObject({ writeKey: this.writeKeys.open(key.sealed, source.workspace) });
    }
    return jsonObject({ writeKey: null });
  }

  /** The newest events with their steps through the pipelines. */
  @Get('events')
  async events(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    return jsonObject({ events: await this.open(request, response).events() });
  }

  /**
   * Checks that there is a demo, that the client may see it, and that the request is not for a name of another site.
   */
  private open(request: Request, response: Response): DemoTrail {
    const { trail } = this.demo;
    if (trail === undefined) throw new HttpRefusal('NotFound');
    if (!this.demo.isShownTo(request))
      throw new HttpRefusal('NotFound', {
        because: 'the demo is shown on the machine of Penstock only, unless PENSTOCK_DEMO is 1',
      });
    if (!isOwnHost(request.headers.host))
      throw new HttpRefusal('NotFound', {
        because: 'the demo is shown at an IP address or localhost only',
      });
    response.set(HEADERS);
    return trail;
  }
}
