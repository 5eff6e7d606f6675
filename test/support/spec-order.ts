import { hash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs that need a real server mostly wait. If the run ended with them, a core would be idle. */
const PROJECTS = ['real', 'embedded'];

/** The longest of those that need no server. They start before the other specs of their project, so that none of them is left alone at the end. */
const FIRST = [
  'test/sample-app/page.spec.ts',
  'tools/simulation/search.spec.ts',
  'test/docs/programs.spec.ts',
  'test/support/strict-processes.spec.ts',
];

/**
 * Orders the specs so that both cores have work until the end. Within a project, those that wait are spread by a hash:
 * Vitest's own order, the longest first, would let all workers wait at once.
 */
export class SpecOrder extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    return specs
      .map((spec) => ({ spec, ranks: ranks(spec, relative(root, spec.moduleId)) }))
      .sort((one, other) => (one.ranks < other.ranks ? -1 : 1))
      .map(({ spec }) => spec);
  }
}

/** The project, then the longest ones, then the hash, as one text: each of the numbers has one digit. */
function ranks({ project }: TestSpecification, path: string): string {
  return `${PROJECTS.indexOf(project.name)} ${rank(path)} ${hash('sha1', path)}`;
}

function rank(path: string): number {
  return FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length;
}
