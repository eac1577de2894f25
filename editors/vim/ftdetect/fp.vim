autocmd BufNewFile,BufRead *.fp setfiletype fp
