import { Body, Controller, Get, Header, HttpCode, Module, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a bare Nest route costs: a GET is answered the bytes it was started with, the body of a PUT is parsed. */
const [, , answer = ''] = process.argv;

@Controller('v1/pipelines/:id')
class BareController {
  @Get()
  @Header('Content-Type', 'application/json')
  get(): string {
    return answer;
  }

  @Put()
  @HttpCode(200)
  put(@Body() _: object): string {
    return '';
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const start = async (): Promise<void> => {
  const application = await NestFactory.create(BareModule, new ExpressAdapter(), { logger: false });
  const server = (await application.listen(0, '127.0.0.1')) as Server;
  process.send?.({ port: (server.address() as AddressInfo).port });
};

void start();
