import { Controller, Get, Res } from '@nestjs/common';
import { Health, healthzAnswer, readyzAnswer } from '@penstock/runtime';
import type { Response } from 'express';
import { Needs } from '../auth/access';

@Controller()
@Needs('public')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  live(@Res() response: Response): void {
    const { status, contentType, body } = healthzAnswer();
    response.status(status).type(contentType).send(body);
  }

  @Get('readyz')
  async ready(@Res() response: Response): Promise<void> {
    const { status, contentType, body } = await readyzAnswer(this.health);
    response.status(status).type(contentType).send(body);
  }
}
