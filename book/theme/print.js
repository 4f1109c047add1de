// The page for printing, which holds all pages: each thing once, and no solution beside its task.
// The PDF and the EPUB are made of it.
(() => {
    const main = document.querySelector('main');
    if (document.querySelectorAll('main h1').length < 2) {
        return;
    }
    const title = (box) => box.querySelector(':scope > summary').textContent.trim();
    const boxes = [...main.querySelectorAll('details')].filter((box) => box.querySelector(':scope > summary'));

    // The notes for teachers stand together on a page of their own.
    if (main.querySelector('.sheet')) {
        boxes.filter((box) => title(box) === 'For teachers').forEach((box) => box.remove());
    }

    // Paper can't be unfolded: what is not to be seen too early goes to the end.
    const end = document.createElement('section');
    end.id = 'hints-and-solutions';
    end.style.breakBefore = 'page';
    const heading = document.createElement('h1');
    heading.textContent = 'Hints and solutions';
    end.append(heading);
    let exercise = '';
    for (const box of boxes) {
        const [, what, name] = title(box).match(/^(Hints, step by step|A solution, and why): (.*)$/s) ?? [];
        if (!what) {
            continue;
        }
        if (name !== exercise) {
            exercise = name;
            const above = document.createElement('h2');
            above.textContent = name;
            end.append(above);
            const link = document.createElement('a');
            link.href = `#${end.id}`;
            link.textContent = 'at the end of the book';
            const where = document.createElement('p');
            where.append('Hints and a solution: ', link, '.');
            box.before(where);
        }
        end.append(box);
    }
    if (exercise) {
        main.append(end);
    }
})();
