import { hash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs that need a server mostly wait. If the run ended with them, a core would be idle; the plain ones keep both busy. */
const PROJECTS = ['embedded', 'model', 'real', 'plain'];

/** The longest of the plain ones. They start first, so that none of them is left alone at the end. */
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
      .map((spec) => ({ spec, path: relative(root, spec.moduleId) }))
      .map((one) => ({ ...one, rank: rank(one.path), spread: hash('sha1', one.path) }))
      .sort(
        (one, other) =>
          projectRank(one.spec) - projectRank(other.spec) ||
          one.rank - other.rank ||
          (one.spread < other.spread ? -1 : 1),
      )
      .map(({ spec }) => spec);
  }
}

function projectRank({ project }: TestSpecification): number {
  return PROJECTS.indexOf(project.name);
}

function rank(path: string): number {
  return FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length;
}
